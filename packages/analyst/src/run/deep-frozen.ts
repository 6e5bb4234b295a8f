/**
 * The value itself, frozen with all that is in it: a file's module is strict, so an assignment in place throws. What is frozen already is taken
 * to be so throughout.
 */
export function deepFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const inner of Object.values(value)) deepFrozen(inner)
  return value
}
