/** class-validator's sentences, which integrators know (docs/reference/rules.md#validation-messages). `name` is the property, with `each value in ` before it for elements. */
export const sentence = {
  unknown: (name: string) => `property ${name} should not exist`,
  string: (name: string) => `${name} must be a string`,
  integer: (name: string) => `${name} must be an integer number`,
  number: (name: string) => `${name} must be a number conforming to the specified constraints`,
  boolean: (name: string) => `${name} must be a boolean value`,
  array: (name: string) => `${name} must be an array`,
  object: (name: string) => `${name} must be an object`,
  notEmpty: (name: string) => `${name} should not be empty`,
  visible: (name: string) => `${name} must have a character that can be seen`,
  email: (name: string) => `${name} must be an email`,
  uuid: (name: string) => `${name} must be a UUID`,
  date: (name: string) => `${name} must be a valid ISO 8601 date string`,
  timezone: (name: string) => `${name} must be a valid IANA time-zone`,
  oneOf: (name: string, values: readonly unknown[]) =>
    `${name} must be one of the following values: ${values.filter((value) => value !== null).join(', ')}`,
  matches: (name: string, pattern: string) => `${name} must match /${pattern}/ regular expression`,
  longest: (name: string, maximum: number) => `${name} must be shorter than or equal to ${maximum} characters`,
  shortest: (name: string, minimum: number) => `${name} must be longer than or equal to ${minimum} characters`,
  length: (name: string, minimum: number, maximum: number) =>
    `${name} must be longer than or equal to ${minimum} and shorter than or equal to ${maximum} characters`,
  least: (name: string, minimum: number) => `${name} must not be less than ${minimum}`,
  most: (name: string, maximum: number) => `${name} must not be greater than ${maximum}`,
  mostItems: (name: string, maximum: number) => `${name} must contain no more than ${maximum} elements`,
  leastItems: (name: string, minimum: number) => `${name} must contain at least ${minimum} elements`,
  nested: (name: string) => `${name} must not be nested deeper than ${DEEPEST} levels`,
  infinite: (name: string) => `${name} must not contain a number beyond 1.8e308`,
} as const

/** Levels of a free-form value. JSON.stringify, Postgres and every walker recurse: this keeps all of them far from their stack's end. */
export const DEEPEST = 32
