import { type TSchema, Type } from '@sinclair/typebox'
import {
  BlacklistBody,
  EmailAddress,
  FreeObject,
  ListCampaignsQuery,
  ListProfilesQuery,
  nullableText,
  oneOf,
  ProfileBody,
  SendEmailBody,
  StandardQuery,
  text,
  UpsertProfileBody,
  Uuid,
  verbatim,
} from '@tidings/contracts'
import { describe, expect, it } from 'vitest'
import type { Schema } from '../../src/validation/rule.ts'
import { compileValidator } from '../../src/validation/validation.ts'

type Answer = { value: unknown } | { error: Error }

const judge = (schema: TSchema, value: unknown, httpPart = 'body'): unknown => {
  const validate = compileValidator({ schema: schema as Schema, httpPart, method: 'POST', url: '/' }) as (value: unknown) => Answer
  const answer = validate(value)
  return 'error' in answer ? answer.error.message : answer.value
}
const property = (schema: TSchema, value: unknown) => judge(Type.Object({ x: schema }), { x: value })

describe('the sentence of each rule', () => {
  it.each([
    [Type.String(), 5, 'x must be a string'],
    [Type.Integer(), '5', 'x must be an integer number'],
    [Type.Integer(), 1.5, 'x must be an integer number'],
    [Type.Integer(), 2 ** 53, 'x must be an integer number'],
    [Type.Boolean(), 'true', 'x must be a boolean value'],
    [Type.Array(Type.String()), 'a', 'x must be an array'],
    [FreeObject, [], 'x must be an object'],
    [FreeObject, 'a', 'x must be an object'],
    [text(5, { notEmpty: true }), '', 'x should not be empty'],
    [text(5), '123456', 'x must be shorter than or equal to 5 characters'],
    [Type.String({ minLength: 2 }), '1', 'x must be longer than or equal to 2 characters'],
    [Type.String({ minLength: 1, maxLength: 2 }), '', 'x must be longer than or equal to 1 and shorter than or equal to 2 characters'],
    [Type.Integer({ minimum: 1 }), 0, 'x must not be less than 1'],
    [Type.Integer({ maximum: 9 }), 10, 'x must not be greater than 9'],
    [EmailAddress, 'unknown', 'x must be an email'],
    [Uuid, '0192f0c0', 'x must be a UUID'],
    [oneOf('a', 'b'), 'c', 'x must be one of the following values: a, b'],
    [oneOf('a', 'b'), 5, 'x must be one of the following values: a, b'],
    [Type.Array(Type.String(), { maxItems: 1 }), ['a', 'b'], 'x must contain no more than 1 elements'],
    [Type.Array(Type.String(), { minItems: 2 }), ['a'], 'x must contain at least 2 elements'],
    [Type.Array(Type.String(), { minItems: 1 }), [], 'x should not be empty'],
    [Type.Array(text(1)), ['a', 5], 'each value in x must be a string'],
    [Type.Array(Uuid), ['a'], 'each value in x must be a UUID'],
    [Type.Array(text(1)), ['ab'], 'each value in x must be shorter than or equal to 1 characters'],
    [Type.String({ pattern: '^a$' }), 'b', 'x must match /^a$/ regular expression'],
  ])('%j with %j', (schema, value, message) => {
    expect(property(schema, value)).toBe(message)
  })
})

describe('order', () => {
  const schema = Type.Object({ first: text(3), second: Type.Integer(), third: Type.Optional(Type.Boolean()) })

  it('is unknown properties in the order of the body, before anything else', () => {
    expect(judge(schema, { first: 5, zulu: 1, alpha: 1 })).toBe('property zulu should not exist')
  })
  it('is then the order of the contract, whatever the order of the body', () => {
    expect(judge(schema, { third: 1, second: 'x', first: 5 })).toBe('first must be a string')
    expect(judge(schema, { third: 1, second: 'x', first: 'a' })).toBe('second must be an integer number')
  })
  it('inside a property is type, format, length, elements', () => {
    expect(property(EmailAddress, 5)).toBe('x must be a string')
    expect(property(Type.Array(text(1), { maxItems: 1 }), ['long', 'long'])).toBe('x must contain no more than 1 elements')
  })
})

describe('nested objects', () => {
  const schema = Type.Object({ keys: Type.Object({ p256dh: text(4), inner: Type.Optional(Type.Object({ a: text(1) })) }) })
  it.each([
    [{ keys: { p256dh: 'a', x: 1 } }, 'keys.property x should not exist'],
    [{ keys: {} }, 'keys.p256dh must be a string'],
    [{ keys: { p256dh: 'a', inner: { b: 1 } } }, 'keys.inner.property b should not exist'],
    [{ keys: null }, 'keys must be an object'],
    [{}, 'keys must be an object'],
  ])('%j', (body, message) => {
    expect(judge(schema, body)).toBe(message)
  })
})

describe('null', () => {
  it('for an optional property is as if it was not sent', () => {
    expect(judge(ProfileBody, { email: null, tags: null, firstName: 'A' })).toEqual({ firstName: 'A' })
    expect(judge(UpsertProfileBody, { email: null })).toBe('email or phone is required')
  })
  it('is kept where the contract gives it a meaning', () => {
    expect(judge(ProfileBody, { notes: null })).toEqual({ notes: null })
    expect(judge(ProfileBody, { customProperties: { size: null } })).toEqual({ customProperties: { size: null } })
  })
  it('for a required property is a missing one', () => {
    expect(property(text(3), null)).toBe('x must be a string')
    expect(property(nullableText(), undefined)).toBe('x must be a string')
  })
})

describe('lengths', () => {
  it('count a surrogate pair as one character', () => {
    expect(property(text(2), '😀😀')).toEqual({ x: '😀😀' })
    expect(property(text(2), '😀😀😀')).toBe('x must be shorter than or equal to 2 characters')
  })
})

describe('what a valid value becomes', () => {
  it('trimmed, where its schema says so, before it is measured', () => {
    expect(property(text(3, { trim: true }), '  abc  ')).toEqual({ x: 'abc' })
    expect(property(EmailAddress, ' a@b.co ')).toEqual({ x: 'a@b.co' })
  })
  it('lower case, for a UUID of any version', () => {
    expect(property(Uuid, '0192F0C0-0000-F000-0000-00000000000F')).toEqual({ x: '0192f0c0-0000-f000-0000-00000000000f' })
  })
})

describe('queries', () => {
  const query = (value: Record<string, unknown>, schema: TSchema = StandardQuery) => judge(schema, value, 'querystring')

  it('turn decimal texts into integers and fill in what is not there', () => {
    expect(query({ limit: '100' })).toEqual({ limit: 100, offset: 0 })
    expect(query({ page: '2' }, ListProfilesQuery)).toEqual({ limit: 25, page: 2 })
  })
  it.each([
    [{ limit: '0' }, 'limit must not be less than 1'],
    [{ limit: '101' }, 'limit must not be greater than 100'],
    [{ limit: '1.0' }, 'limit must be an integer number'],
    [{ limit: '' }, 'limit must be an integer number'],
    [{ limit: ['1', '2'] }, 'limit must be an integer number'],
    [{ offset: '-1' }, 'offset must not be less than 0'],
    [{ offset: '99999999999999999999' }, 'offset must be an integer number'],
    [{ page: '1' }, 'property page should not exist'],
    [{ status: 'sent' }, 'property status should not exist'],
  ])('refuse %j', (value, message) => {
    expect(query(value)).toBe(message)
  })
  const id = '00000000-0000-0000-0000-00000000000'
  it('turn lists with commas into lists, and `1` and `0` into booleans', () => {
    expect(query({ statuses: 'draft,sent', tagIds: `${id}A,${id}b`, archived: '1', multiVariant: 'false' }, ListCampaignsQuery)).toEqual({
      limit: 25,
      statuses: ['draft', 'sent'],
      tagIds: [`${id}a`, `${id}b`],
      archived: true,
      multiVariant: false,
    })
    expect(query({}, ListCampaignsQuery)).toEqual({ limit: 25, archived: false })
  })
  it.each([
    [
      { statuses: 'draft,done' },
      'each value in statuses must be one of the following values: draft, scheduled, sending, sent, paused, cancelled, failed',
    ],
    [
      { statuses: '' },
      'each value in statuses must be one of the following values: draft, scheduled, sending, sent, paused, cancelled, failed',
    ],
    [{ tagIds: 'spring' }, 'each value in tagIds must be a UUID'],
    [{ tagIds: `${id}a,` }, 'each value in tagIds must be a UUID'],
    [{ tagIds: Array(201).fill(`${id}a`).join() }, 'tagIds must contain no more than 200 elements'],
    [{ archived: 'yes' }, 'archived must be a boolean value'],
    [{ multiVariant: '' }, 'multiVariant must be a boolean value'],
  ])('refuse %j', (value, message) => {
    expect(query(value, ListCampaignsQuery)).toBe(message)
  })
  it('refuse a list where a text belongs', () => {
    expect(query({ search: ['a', 'b'] }, ListProfilesQuery)).toBe('search must be a string')
  })
})

describe('path ids', () => {
  it('are UUIDs of any version, or one sentence', () => {
    const params = Type.Object({ id: Uuid })
    expect(judge(params, { id: 'nope' }, 'params')).toBe('Validation failed (uuid is expected)')
    expect(judge(params, { id: '00000000-0000-0000-0000-00000000000A' }, 'params')).toEqual({ id: '00000000-0000-0000-0000-00000000000a' })
  })
})

describe('the rules over a whole body', () => {
  const manual = { to: 'a@b.co', fromEmail: 'c@d.co', subject: 'Hi', html: '<p>' }
  const id = '00000000-0000-0000-0000-00000000000a'
  it.each([
    [{ fromEmail: 'c@d.co' }, 'to or contactId is required'],
    [{ ...manual, contentMode: 'manual', templateId: id }, 'templateId is not allowed when contentMode is manual'],
    [{ ...manual, contentMode: 'template' }, 'templateId is required when contentMode is template'],
    [{ ...manual, contentMode: 'both' }, 'contentMode must be one of the following values: manual, template'],
    [{ ...manual, subject: undefined }, 'subject must be a string'],
    [{ ...manual, html: null }, 'html must be a string'],
  ])('of an email send refuse %j', (body, message) => {
    expect(judge(SendEmailBody, body)).toBe(message)
  })
  it('of an email send accept the manual and the template path', () => {
    expect(judge(SendEmailBody, { ...manual })).toEqual(manual)
    expect(judge(SendEmailBody, { contactId: id, fromEmail: 'c@d.co', templateId: id })).toEqual({
      contactId: id,
      fromEmail: 'c@d.co',
      templateId: id,
    })
  })
  it('of a blacklisting need one identifier and a channel', () => {
    expect(judge(BlacklistBody, { channel: 'both' })).toBe('email or contactId is required')
    expect(judge(BlacklistBody, { email: 'a@b.co' })).toBe('channel must be one of the following values: email, sms, both')
  })
})

describe('a schema that no rule can judge', () => {
  it('fails when the route is built, not when it is used', () => {
    expect(() => property(Type.String({ format: 'hostname' }), 'a')).toThrow('No rule judges the string format hostname.')
    expect(() => property(Type.Null(), null)).toThrow('No rule judges a schema of type null.')
  })
})

describe('a text', () => {
  const [composed, decomposed] = ['caf\u00e9', 'cafe\u0301']

  it('is handed on in NFC, and measured so', () => {
    expect(property(text(4), decomposed)).toEqual({ x: composed })
    // One character to its sender, two in NFC.
    expect(property(text(1), '\ufb1d')).toBe('x must be shorter than or equal to 1 characters')
    expect(property(Type.Array(text(9)), [decomposed])).toEqual({ x: [composed] })
    expect(property(nullableText({ maxLength: 9 }), decomposed)).toEqual({ x: composed })
  })

  it('of the client’s own keys is in NFC, keys too, at every level', () => {
    const given = JSON.parse(`{ "${decomposed}": [{ "${decomposed}": "${decomposed}", "n": 1 }], "__proto__x": null }`)
    expect(property(FreeObject, given)).toEqual({ x: { [composed]: [{ [composed]: composed, n: 1 }], __proto__x: null } })
  })

  it('stays as it was sent where it is content, an address of the web or a secret', () => {
    expect(property(verbatim(5), decomposed)).toEqual({ x: decomposed })
    expect(judge(SendEmailBody, { to: 'a@b.co', fromEmail: 'c@d.co', subject: decomposed, html: decomposed })).toMatchObject({
      subject: decomposed,
      html: decomposed,
    })
  })

  it('that is an address is handed on in its one form', () => {
    expect(property(EmailAddress, ' VICTIM@\uff47mail.com ')).toEqual({ x: 'victim@gmail.com' })
    expect(property(EmailAddress, 'a\u0308dmin@XN--MNCHEN-3YA.de')).toEqual({ x: '\u00e4dmin@m\u00fcnchen.de' })
    expect(property(EmailAddress, 'a@xn--a.de')).toBe('x must be an email')
  })
})
