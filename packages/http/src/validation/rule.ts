/** The keywords of JSON Schema that our schemas use, and those of ours (packages/contracts `kinds.ts`). */
export type Schema = Readonly<{
  type?: string | readonly string[]
  enum?: readonly unknown[]
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  items?: Schema
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: boolean | Schema
  default?: unknown
  trim?: boolean
  notEmpty?: boolean
  visible?: boolean
  verbatim?: boolean
  timezone?: boolean
}>

/**
 * Judges one value. Gives back the value to go on with (trimmed, lower-cased, converted), or a `Fault` with the sentence for the caller.
 * `name` is what the sentence calls the value.
 */
export type Rule = (value: unknown, name: string) => unknown

export class Fault {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

/** Whether null is a value of the schema and not "not sent" (M15). */
export function isNullable({ type }: Schema): boolean {
  return Array.isArray(type) && type.includes('null')
}
