package status

import "google.golang.org/grpc/codes"

type Status struct{}

func (s *Status) Code() codes.Code { return 0 }
func (s *Status) Err() error       { return nil }

func Code(err error) codes.Code            { return 0 }
func Convert(err error) *Status            { return nil }
func FromError(err error) (*Status, bool)  { return nil, false }
func FromContextError(err error) *Status   { return nil }
func Error(c codes.Code, msg string) error { return nil }
