package retry

// Mark is the mark that a library function puts on the error it is given.
func Mark(pkg, name string) (string, bool) { return "", false }
