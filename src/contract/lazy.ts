/** Lazy values, which are created only when a command uses them. */

/** Returns a function that creates the value on its first call and returns the same one afterwards. */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
