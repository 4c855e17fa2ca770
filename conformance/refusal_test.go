package conformance

import (
	"strings"
	"testing"

	"github.com/ctxprop/ctxprop/internal/catalog"
)

// checkRefusals holds the checks themselves against lines that are wrong, one
// for each way to be wrong.
func checkRefusals(t *testing.T, v *verifier) {
	for _, test := range []struct{ line, want string }{
		{"quiet google.golang.org/grpc/none.*", "there is no package google.golang.org/grpc/none"},
		{"quiet google.golang.org/none/...", "there is no package in google.golang.org/none/..."},
		{"fresh context.Backgrund", "there is no function Backgrund"},
		{"wait (*sync.WaitingGroup).Wait class=wait", "there is no type WaitingGroup"},
		{"quiet (*sync.WaitingGroup).*", "there is no type WaitingGroup"},
		{"block (database/sql.DB).QueryContext class=sql", "spelled wrong: pointer receiver: true"},
		{"block (*net/http.RoundTripper).RoundTrip ctx=0 class=http", "spelled wrong: pointer receiver: false"},
		{"quiet (database/sql.DB).*", "spelled wrong: a method has a pointer receiver: true"},
		{"block (*github.com/redis/go-redis/v9.ClusterClient).Get class=cache", "ClusterClient itself declares no method Get"},
		{"block sort.* class=wait", "no function is described by this line"},
		{"fresh context.WithCancel", "it takes a context or returns none"},
		{"derive context.Background", "it takes no context or returns none"},
		{"derive context.Cause", "it takes no context or returns none"},
		{"carry net/http.NewRequest", "it takes no context or returns nothing"},
		{"block net.Dial class=net", "it takes no context"},
		{"block (*net/http.Client).Get class=http ctx=0", "it takes no context"},
		{"block (*database/sql.DB).PingContext class=sql ctx=recv", "it takes no context"},
		{"block (*database/sql.DB).QueryContext class=sql fn=1", "it takes no function"},
		{"wait (*database/sql.DB).PingContext class=sql", "it takes a context"},
		{"twin (*database/sql.DB).PingContext class=sql use=Ping", "it takes a context"},
		{"twin (*database/sql.DB).Ping class=sql use=PingCtx", "there is no use=PingCtx"},
		{"twin (*database/sql.DB).Ping class=sql use=Begin", "use= takes no context"},
		{"bare net/http.NewRequest use=Get", "use= names what has no carry line"},
		{"noreturn os.Getpid", "it has results"},
		{"sync sort.Ints", "it takes no function"},
		{"later time.AfterFunc fn=0", "it takes no function"},
		{"spawn (*sync.WaitGroup).Go wait=Done", "there is no line: wait … join for wait=Done"},
		{"block (*database/sql.DB).Quary* class=sql", "no function is described by this line"},
		{"block cloud.google.com/go/....Neu*Client class=rpc", "no function is described by this line"},
		{"twin (*database/sql.DB).* class=sql use=*Ctx", "no function is described by this line"},
	} {
		c, err := v.catalog.Extend("refused", test.line)
		if err != nil {
			t.Errorf("%s: %v", test.line, err)
			continue
		}
		wrong := &verifier{c, v.libraries}
		_, err = wrong.verify(added(c))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.line, err, test.want)
		}
	}
}

// checkRootRefusals does the same for lines about roots and providers.
func checkRootRefusals(t *testing.T, v *verifier) {
	for _, test := range []struct{ line, want string }{
		{`root func(*github.com/gin-gonic/gin.Contexts) name="r"`, "there is no type github.com/gin-gonic/gin.Contexts"},
		{`root func(context.Context, github.com/aws/aws-lambda-go/event._) name="r"`, "there is no package of github.com/aws/aws-lambda-go/event._"},
		{`root func(*database/sql.DB) name="r"`, "none of its types is or provides a context"},
		{`root (net/http.Handlers).ServeHTTP name="r"`, "there is no type Handlers"},
		{`root (net/http.ResponseWriter).Header name="r"`, "it takes no context"},
		{`root github.com/aws/aws-lambda-go/lambda.Begin fn=0 name="r"`, "there is no function Begin"},
		{`root github.com/aws/aws-lambda-go/lambda.Start fn=1 name="r"`, "it has no parameter 1"},
		{`root sort.Slice fn=1 name="r"`, "the function takes no context"},
		{`root sort.Ints fn=0 name="r"`, "the parameter is neither a function nor any value"},
		{"provider github.com/gin-gonic/gin.Context deaf", "an interface is written without *, a struct with it"},
		{"provider *github.com/gin-gonic/gin.Context expr=Request.Context()", "deaf is for what is a context: true"},
		{"provider github.com/labstack/echo/v4.Context expr=Request().Context() deaf", "deaf is for what is a context: false"},
		{"provider *github.com/gin-gonic/gin.Context expr=Requests.Context() deaf", "Requests undefined"},
		{"provider *github.com/gin-gonic/gin.Context expr=FullPath() deaf", "expr= yields no context"},
		{"provider *github.com/gin-gonic/gin.Context deaf unless=Engine.Fallback", "there is no field Engine.Fallback"},
		{"service database/sql.Connection", "there is no type"},
		{"service *google.golang.org/grpc.ServiceRegistrar", "an interface is written without *, a struct with it"},
		{"service *database/sql.DB", "it has no method RegisterService"},
		{`service New*Server func(_, github.com/twitchtv/twirp.Hooks) name="r"`, "there is no type github.com/twitchtv/twirp.Hooks"},
		{`service New*Server func(_, []any) name="r"`, "no generated package shows it"},
	} {
		c, err := v.catalog.Extend("refused", test.line)
		if err != nil {
			t.Errorf("%s: %v", test.line, err)
			continue
		}
		wrong := &verifier{c, v.libraries}
		for _, r := range c.Roots() {
			if r.Pos.Origin == "refused" {
				_, err = wrong.root(r)
			}
		}
		for _, p := range c.Providers() {
			if p.Pos.Origin == "refused" {
				_, err = wrong.provider(p)
			}
		}
		for _, s := range c.Services() {
			if s.Pos.Origin == "refused" {
				_, err = wrong.service(s)
			}
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.line, err, test.want)
		}
	}
}

// added finds the line that checkRefusals put in.
func added(c *catalog.Catalog) catalog.Entry {
	for _, e := range c.Entries() {
		if e.Pos.Origin == "refused" {
			return e
		}
	}
	return catalog.Entry{}
}
