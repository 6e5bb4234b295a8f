import { expect, test } from 'vitest'
import {
  asCampaignId,
  asContactId,
  asEndpointId,
  asFlowId,
  asListId,
  asMessageId,
  asTemplateId,
  asVerificationId,
  asWorkspaceId,
  campaignStream,
  contactStream,
  enrolmentStream,
  listStream,
  membersStream,
  messageStream,
  otpStream,
  subjectStream,
  templateStream,
  variantOf,
  webhookSubject,
  workspaceStream,
} from '../src/index.ts'

const acme = asWorkspaceId('acme')
const ada = asContactId('ada')
const hello = asMessageId('hello')
const spring = asCampaignId('spring')
const welcome = asFlowId('welcome')
const news = asTemplateId('news')
const readers = asListId('readers')

test('an id is the text that was given', () => {
  expect([acme, ada, hello, spring, welcome, news, readers]).toEqual(['acme', 'ada', 'hello', 'spring', 'welcome', 'news', 'readers'])
})

test('a workspace and a record that changed places do not compile', () => {
  // @ts-expect-error
  expect(contactStream(ada, acme)).not.toBe(contactStream(acme, ada))
  // @ts-expect-error
  expect(messageStream(hello, acme)).not.toBe(messageStream(acme, hello))
  // @ts-expect-error
  expect(campaignStream(spring, acme)).not.toBe(campaignStream(acme, spring))
  // @ts-expect-error
  expect(templateStream(news, acme)).not.toBe(templateStream(acme, news))
  // @ts-expect-error
  expect(listStream(readers, acme)).not.toBe(listStream(acme, readers))
})

test('a text that no edge has named does not compile', () => {
  const text: string = 'acme'
  // @ts-expect-error
  expect(workspaceStream(text)).toBe(workspaceStream(acme))
  // @ts-expect-error
  expect(contactStream(acme, text)).toBe(contactStream(acme, asContactId(text)))
  // @ts-expect-error
  expect(subjectStream('contact:ada', acme)).toBeNull()
})

test('two records of one workspace that changed places do not compile', () => {
  // @ts-expect-error
  expect(enrolmentStream(acme, ada, welcome)).not.toBe(enrolmentStream(acme, welcome, ada))
  // @ts-expect-error
  expect(membersStream(acme, ada, 'c')).not.toBe(membersStream(acme, readers, 'c'))
  // @ts-expect-error
  expect(contactStream(acme, hello)).not.toBe(contactStream(acme, ada))
  // @ts-expect-error
  expect(variantOf(ada, spring, [])).toBe(0)
  // @ts-expect-error
  expect(otpStream(acme, hello)).not.toBe(otpStream(acme, asVerificationId('code')))
  // @ts-expect-error
  expect(webhookSubject({ endpointId: readers })).not.toBe(webhookSubject({ endpointId: asEndpointId('shop') }))
})
