// Package fallback tells its engine to let a *gin.Context end with its request.
package fallback

import (
	"database/sql"

	"github.com/gin-gonic/gin"
)

var db *sql.DB

func Routes() *gin.Engine {
	r := gin.Default()
	r.ContextWithFallback = true
	r.GET("/", Hears)
	return r
}

func Hears(c *gin.Context) { _ = db.PingContext(c) }
