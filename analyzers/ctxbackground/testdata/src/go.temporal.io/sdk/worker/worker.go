// Package worker has of the real one what the tests call.
package worker

type ActivityRegistry interface {
	RegisterActivity(a any)
}

type WorkflowRegistry interface {
	RegisterWorkflow(w any)
}

type Registry interface {
	WorkflowRegistry
	ActivityRegistry
}

type Worker interface {
	Registry
	Run(interruptCh <-chan any) error
}
