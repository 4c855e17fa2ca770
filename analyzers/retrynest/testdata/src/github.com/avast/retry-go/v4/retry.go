package retry

type Config struct{}
type Option func(*Config)
type RetryableFunc func() error

func Attempts(attempts uint) Option                                    { return nil }
func UntilSucceeded() Option                                           { return nil }
func Delay(d int64) Option                                             { return nil }
func Do(retryableFunc RetryableFunc, opts ...Option) error             { return nil }
func DoWithData[T any](f func() (T, error), opts ...Option) (T, error) { var t T; return t, nil }
func Unrecoverable(err error) error                                    { return err }
