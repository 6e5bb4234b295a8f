import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { ApiKeyId, CampaignId, ContactId, EndpointId, ListId, MessageId, TemplateId } from '@tidings/domain'
import { described } from './described.ts'

/**
 * Keywords that only our validator knows (packages/http); the OpenAPI document says the same with standard ones.
 * `trim`: leading and trailing blanks are removed before anything is measured. `notEmpty`: "" is refused.
 * `visible`: a text of which a reader sees nothing is refused.
 * `verbatim`: the text stays as it was sent, where every other becomes NFC (M46). `timezone`: empty, or one that has a local time.
 */
type OwnKeywords = Readonly<{ trim?: boolean; notEmpty?: boolean; visible?: boolean; verbatim?: boolean; timezone?: boolean }>

/** A string of at most `maxLength` characters, counted like class-validator does: a surrogate pair is one. */
export function text(maxLength: number, keywords: OwnKeywords = {}) {
  return Type.String({ maxLength, ...keywords })
}

/** What a person calls a thing: without the blanks around it, and not empty for a reader. */
export function nameText(maxLength: number) {
  return text(maxLength, { trim: true, notEmpty: true, visible: true })
}

/** What is sent on, opened or hashed as it is: content, addresses of the web, secrets. */
export function verbatim(maxLength: number, keywords: OwnKeywords = {}) {
  return text(maxLength, { ...keywords, verbatim: true })
}

/** One of the given words, as `enum` and not as a union of constants: fast-json-stringify needs no validator for it. */
export function oneOf<const T extends readonly string[]>(...values: T) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: values })
}

/** The same string schema, and null: in a request null has a meaning here, elsewhere it counts as not sent (M15). */
export function nullableText(keywords: Readonly<{ maxLength?: number; format?: string }> = {}) {
  return Type.Unsafe<string | null>({ type: ['string', 'null'], ...keywords })
}

export function nullableOneOf<const T extends readonly string[]>(...values: T) {
  return Type.Unsafe<T[number] | null>({ type: ['string', 'null'], enum: [...values, null] })
}

/** An object of no name and null, in requests as in answers. */
export function objectOrNull<S extends TObject>(schema: S) {
  return Type.Unsafe<Static<S> | null>({ ...schema, type: ['object', 'null'] })
}

/** Any version of UUID (G40); the validator hands it on in lower case. */
export const Uuid = Type.String({ format: 'uuid' })

/** The same, of one kind of record: the compiler tells the kinds apart. */
export const ContactUuid = Type.Unsafe<ContactId>(Uuid)
const MessageUuid = Type.Unsafe<MessageId>(Uuid)
export const ListUuid = Type.Unsafe<ListId>(Uuid)
export const TemplateUuid = Type.Unsafe<TemplateId>(Uuid)
export const ApiKeyUuid = Type.Unsafe<ApiKeyId>(Uuid)
export const CampaignUuid = Type.Unsafe<CampaignId>(Uuid)
export const EndpointUuid = Type.Unsafe<EndpointId>(Uuid)

/** A valid address, of at most 320 characters: where an address is stored or sent to (G41). The validator hands it on in its one form (M46). */
export const EmailAddress = Type.String({ format: 'email', maxLength: 320, trim: true })

/** An address that is only looked up: an unknown one is not found, whatever it looks like (G41). */
export const EmailLookup = Type.String({ maxLength: 320, trim: true, notEmpty: true })

/** UTC, milliseconds, `Z` (M12). */
export const Timestamp = Type.String({ format: 'date-time' })
export const NullableTimestamp = nullableText({ format: 'date-time' })

/** A JSON object whose keys are the client's own. */
export const FreeObject = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  title: 'JsonObject',
  description: "A JSON object whose keys are the client's own.",
})

const paramsOf = <Id extends TSchema>(id: Id) =>
  described(Type.Object({ id }), { fields: { id: 'The UUID of the record; any other text is 400.' } })

export const IdParams = paramsOf(Uuid)
export const ApiKeyParams = paramsOf(ApiKeyUuid)
export const EndpointParams = paramsOf(EndpointUuid)
export const ContactParams = paramsOf(ContactUuid)
export const MessageParams = paramsOf(MessageUuid)
export const ListParams = paramsOf(ListUuid)
export const CampaignParams = paramsOf(CampaignUuid)
export const TemplateParams = paramsOf(TemplateUuid)

/** Values of a query with commas between them, each judged by `item`. */
export function commaList<Item extends TSchema>(item: Item, maxItems: number) {
  return Type.Array(item, { maxItems, style: 'form', explode: false })
}

/** What a schema cannot say about a request as a whole; the sentence of the first rule that is broken, else undefined. */
export type ShapeRule = (body: never) => string | undefined

export const shapeRule: unique symbol = Symbol.for('tidings.shapeRule')

/** The schema with a rule over several properties, asked after every property is valid; a breach is a 400 without code. */
export function withRule<S extends TSchema>(schema: S, rule: ShapeRule): S {
  return Object.assign(schema, { [shapeRule]: rule })
}
