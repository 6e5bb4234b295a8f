import type { Static, TObject, TSchema } from '@sinclair/typebox'
import type { RecordId } from '@tidings/domain'

/**
 * The description of a schema in the OpenAPI document; validation and serialisation ignore all of it. `name`: the schema is a component of the
 * document under it. `fields`: a sentence for each property, so that a new one cannot be forgotten. `example`: a value that a test sends, or
 * compares with an answer.
 */
type Description<S extends TObject> = Readonly<{
  name?: string
  about?: string
  fields: Readonly<Record<keyof S['properties'] & string, string>>
  example?: Written<Static<S>>
}>

/** A value as documents write it: an id is a plain text there. */
type Written<T> = T extends RecordId
  ? string
  : T extends readonly (infer Item)[]
    ? Written<Item>[]
    : T extends object
      ? { [Key in keyof T]: Written<T[Key]> }
      : T

/** The schema with what the document says about it. A query needs no name: its properties are parameters. */
export function described<S extends TObject>(schema: S, { name, about, fields, example }: Description<S>): S {
  const sentences: Readonly<Record<string, string>> = fields
  const properties = Object.fromEntries(
    Object.entries(schema.properties).map(([key, property]) => [key, { ...property, sentence: sentences[key] }]),
  )
  return { ...schema, ...annotations({ name, about, example }), properties }
}

/** A schema that is no object, as a component of the document: an enumeration, a list. */
export function named<S extends TSchema>(name: string, schema: S, about: string): S {
  return { ...schema, ...annotations({ name, about }) }
}

const annotations = ({ name, about, example }: Readonly<{ name?: string | undefined; about?: string | undefined; example?: unknown }>) => ({
  ...(name !== undefined && { title: name }),
  ...(about !== undefined && { description: about }),
  ...(example !== undefined && { examples: [example] }),
})
