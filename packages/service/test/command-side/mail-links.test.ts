import { masterKeysOf, memoryKeyStore, parseMasterKey } from '@tidings/codec/keys'
import { loadConfig } from '@tidings/config'
import { asContactId, asMessageId, asWorkspaceId } from '@tidings/domain'
import { expect, it } from 'vitest'
import { createMailLinks } from '../../src/command-side/command-side.ts'

const OLD = '11'.repeat(32)
const NEW = '22'.repeat(32)
const of = {
  workspaceId: asWorkspaceId('0192f0c1-0000-7000-8000-00000000000a'),
  messageId: asMessageId('0192f0c1-0000-7000-8000-00000000000b'),
  contactId: asContactId('0192f0c1-0000-7000-8000-00000000000c'),
}
const mastersOf = (newest: string, ...previous: readonly string[]) =>
  masterKeysOf(memoryKeyStore(), [parseMasterKey(newest), ...previous.map((text) => parseMasterKey(text))])
const linksUnder = (env: Readonly<Record<string, string>>, ...keys: readonly [string, ...string[]]) =>
  createMailLinks(loadConfig(env, null), mastersOf(...keys))
const tokenIn = (url: string): string => url.slice(url.indexOf('?t=') + 3)

it('links lead to where the world reaches the service, else to the address that it listens on', () => {
  expect(linksUnder({ TIDINGS_PUBLIC_URL: 'https://mail.example/' }, NEW).unsubscribeUrl(of)).toMatch(/^https:\/\/mail\.example\/u\?t=/)
  expect(linksUnder({ PORT: '4000' }, NEW).unsubscribeUrl(of)).toMatch(/^http:\/\/127\.0\.0\.1:4000\/u\?t=/)
})

it('links of mail that was sent under a master key go on working while it is among the previous ones', () => {
  const token = tokenIn(linksUnder({}, OLD).unsubscribeUrl(of))
  expect(linksUnder({}, NEW).open('unsubscribe', token)).toBeNull()
  expect(linksUnder({}, NEW, OLD).open('unsubscribe', token)).toEqual({ kind: 'unsubscribe', ...of })
})
