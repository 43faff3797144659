/** Creates values on first use. */

/** Returns a function that creates a value on the first call and returns the same value on later calls. */
export function once<Value>(make: () => Value): () => Value {
  let created: { value: Value } | undefined;
  return () => {
    created ??= { value: make() };
    return created.value;
  };
}
