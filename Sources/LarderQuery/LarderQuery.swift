// Questions in SQL over what a store holds.
