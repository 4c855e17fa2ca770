// Package resty has of the real one what the tests call.
package resty

import "context"

type Client struct{}

func (c *Client) R() *Request { return nil }

type Request struct{}

func (r *Request) SetContext(ctx context.Context) *Request    { return r }
func (r *Request) SetQueryParam(param, value string) *Request { return r }
func (r *Request) Get(url string) (*Response, error)          { return nil, nil }

type Response struct{}
