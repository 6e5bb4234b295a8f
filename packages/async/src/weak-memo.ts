/** Calls `make` once for each object, and keeps the result for as long as the object is. */
export function weakMemo<Key extends object, Derived>(make: (key: Key) => Derived): (key: Key) => Derived {
  const made = new WeakMap<Key, Readonly<{ value: Derived }>>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known.value
    const value = make(key)
    made.set(key, { value })
    return value
  }
}
