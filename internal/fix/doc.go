// Package fix builds suggested edits that compile.
//
// Drivers apply fixes without asking: go vet -fix takes the first fix of every
// diagnostic, golangci-lint --fix takes all of them, and editors and review
// bots apply one at a time. So a [Builder] offers a fix only where it can show
// from syntax and types that the result compiles and means what the message
// says; everywhere else it returns a reason instead. Two promises hold for the
// fixes of one Builder:
//
//   - any subset of them, applied by merging edits and coalescing equal ones
//     as those drivers do, leaves a package that compiles, without a clean-up
//     by the driver;
//   - all edits of a fix lie in the file of the call that it repairs, because
//     golangci-lint books every edit on the file of the diagnostic.
//
// The first promise decides how imports are handled. A file in which three
// calls of context.Background are the only uses of its import of context needs
// that import until the last of them is gone. Fixes that together leave an
// import without uses are therefore linked: each of them carries the edits of
// all, and the removal of the import. See [Replacement.Fix]. The price is that
// accepting one of them repairs the others as well, even one that a comment for
// another tool, such as nolint, hides from the user.
//
// Compiling is proved by construction, not by type-checking the edited file.
// The construction is small enough for that: a call is replaced by an
// expression of the same type, whose name is looked up in the scopes of the
// type checker at that very position, or a statement is removed whose variable
// is known to every remaining use under the same name with the same type. A
// check in memory would have to load what the driver may not give us: under
// nogo there is no way to read the source, and packages loaded from export
// data know only part of what they import. The tests type-check every result,
// for generated functions as well.
//
// What a fix needs to know beyond that is the caller's to decide, since it
// takes more than the syntax of one function: that the work does not outlive
// the context, that the value of the replaced call is not used for other work
// that is detached on purpose, and that cancelling the work is safe.
package fix
