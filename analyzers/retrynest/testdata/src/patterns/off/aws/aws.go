// Package aws turns the retries of its client off.
package aws

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

var client = s3.New(s3.Options{Retryer: aws.NopRetryer{}})

func p08aws(ctx context.Context) (err error) {
	for i := 0; i < 5; i++ {
		if _, err = client.PutObject(ctx, &s3.PutObjectInput{}); err == nil {
			break
		}
		time.Sleep(time.Second << i)
	}
	return err
}
