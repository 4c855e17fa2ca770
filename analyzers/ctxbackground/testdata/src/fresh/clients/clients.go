// Package clients reaches the clients of databases, clouds and services.
package clients

import (
	"context"

	"cloud.google.com/go/storage"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/go-playground/validator/v10"
	"github.com/go-resty/resty/v2"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.mongodb.org/mongo-driver/mongo"
	"gorm.io/gorm"
)

// Gorm waits on the context of its session, whatever is added to it.
func Gorm(ctx context.Context, db *gorm.DB) error {
	var rows []int
	if err := db.WithContext(context.Background()).Where("id = ?", 1).Find(&rows).Error; err != nil { // want `^context\.Background\(\) in clients\.Gorm cuts DB\.Find off from the caller's deadline; use ctx \(CTX101\)$`
		return err
	}
	return db.WithContext(ctx).Where("id = ?", 1).Find(&rows).Error
}

// GormAlone has a session of which it is not known what it holds.
func GormAlone(ctx context.Context, db *gorm.DB) error { return db.Create(&struct{}{}).Error }

func GormTransaction(ctx context.Context, db *gorm.DB) error {
	return db.WithContext(context.TODO()).Transaction(func(tx *gorm.DB) error { // want `cuts DB\.Transaction off from the caller's deadline; use ctx \(CTX101\)$`
		return tx.Create(&struct{}{}).Error
	})
}

// Resty's request holds the context that it sends on.
func Resty(ctx context.Context, c *resty.Client) error {
	_, err := c.R().SetContext(context.Background()).SetQueryParam("q", "1").Get("http://example.com") // want `cuts Request\.Get off from the caller's deadline; use ctx \(CTX101\)$`
	if err != nil {
		return err
	}
	_, err = c.R().SetContext(ctx).Get("http://example.com")
	return err
}

// Mongo waits although no error is returned.
func Mongo(ctx context.Context, c *mongo.Collection, v any) error {
	return c.FindOne(context.Background(), v).Decode(v) // want `cuts Collection\.FindOne off from the caller's deadline; use ctx \(CTX101\)$`
}

// MongoWrites: the second write must not be cancelled after the first, so it
// has no fix.
func MongoWrites(ctx context.Context, c *mongo.Collection) error {
	if _, err := c.InsertOne(ctx, 1); err != nil {
		return err
	}
	_, err := c.InsertOne(context.Background(), 2) // want `cuts Collection\.InsertOne off from the caller's deadline; use ctx \(CTX101\)$`
	return err
}

// MongoConnect returns at once.
func MongoConnect(ctx context.Context) (*mongo.Client, error) {
	return mongo.Connect(context.Background())
}

func S3(ctx context.Context, c *s3.Client) error {
	_, err := c.GetObject(context.Background(), nil) // want `cuts Client\.GetObject off from the caller's deadline; use ctx \(CTX101\)$`
	return err
}

// Presigned only computes.
func Presigned(ctx context.Context, c *s3.PresignClient) error {
	_, err := c.PresignGetObject(context.Background(), nil)
	return err
}

// Storage makes a client, which connects when it is used, and uses it.
func Storage(ctx context.Context) error {
	c, err := storage.NewClient(context.Background())
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Attrs(context.TODO(), "b") // want `cuts Client\.Attrs off from the caller's deadline; use ctx \(CTX101\)$`
	return err
}

// Etcd sends its transaction at the end.
func Etcd(ctx context.Context, kv clientv3.KV) error {
	_, err := kv.Txn(context.Background()).If().Then().Commit() // want `cuts Txn\.Commit off from the caller's deadline; use ctx \(CTX101\)$`
	return err
}

// Watched lives as long as its channel is wanted.
func Watched(ctx context.Context, w clientv3.Watcher) <-chan any {
	return w.Watch(context.Background(), "key")
}

// Validated holds nobody up.
func Validated(ctx context.Context, v *validator.Validate) error {
	return v.StructCtx(context.Background(), ctx)
}
