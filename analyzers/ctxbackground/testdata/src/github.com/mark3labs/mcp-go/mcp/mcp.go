// Package mcp has of the real one what the tests call.
package mcp

type CallToolRequest struct{}

type CallToolResult struct{}
