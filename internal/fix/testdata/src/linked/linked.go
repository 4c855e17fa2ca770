package linked

import (
	"context"
	"time"
)

func first(wait time.Duration, s stream) {
	_ = work(context.Background()) // want `fresh`
	_ = work(context.TODO())       // want `fresh`
}

func second(wait time.Duration, s stream) {
	bg := context.Background() // want `fresh`
	_ = work(bg)
}
