import { eventDeclarations } from './declarations.ts'

/** Stands where a secret is: that it exists is shown, what it is not (M61). */
export const HIDDEN_SECRET = '(secret)'

type Data = Readonly<Record<string, unknown>>

/** The data of an opened event as people and their programs get it. A secret that is null, as after an erasure, stays null. */
export function withoutSecrets(type: string, data: object): object {
  const secrets = eventDeclarations[type]?.personal?.secret ?? []
  const there = secrets.filter((field) => (data as Data)[field] !== null && (data as Data)[field] !== undefined)
  if (there.length === 0) return data
  return { ...data, ...Object.fromEntries(there.map((field) => [field, HIDDEN_SECRET])) }
}
