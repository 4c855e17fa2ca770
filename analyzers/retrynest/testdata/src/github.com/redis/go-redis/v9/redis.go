package redis

type Options struct {
	Addr       string
	MaxRetries int
}
