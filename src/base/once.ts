/** Lazy values: what a command doesn't use costs it nothing. */

/** Returns a function that makes a value on first use and then returns the same one. */
export function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
