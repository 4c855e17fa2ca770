// Package databases runs saturate against real databases behind real drivers:
// what a query without a context does to a service, and what one with it does.
// SQLite is embedded, in pure Go. PostgreSQL is used if CTXPROP_POSTGRES has a
// connection string:
//
//	GOWORK=off CTXPROP_POSTGRES=postgres://user@localhost/db go test -v .
//
// It is a module of its own, so that whoever uses saturate or guard downloads
// no driver.
package databases
