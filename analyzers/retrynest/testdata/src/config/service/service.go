// Package service has the constants of generated code.
package service

const (
	Stock_Get_FullMethodName  = "/shop.v1.Stock/Get"
	Stock_List_FullMethodName = "/shop.v1.Stock/List"
)
