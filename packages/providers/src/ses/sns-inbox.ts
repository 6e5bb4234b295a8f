import { type KeyObject, verify } from 'node:crypto'
import { type Fields, fieldsIn } from '../http-api/json-fields.ts'
import type { SnsTopic } from './account.ts'
import { createSnsServer, SnsAway } from './sns-certificates.ts'

/** What SNS posted, once it is verified: the text that was published, or null where it asked to confirm a subscription or said that one ended. */
type SnsPosted = Readonly<{ message: string | null }>

export type SnsInbox = Readonly<{
  /**
   * Null where it is no message of a topic that is configured, or its signature is wrong. Throws `SnsAway` where that cannot be judged now. A subscription is
   * confirmed before it resolves. `caller`: the address that posts it.
   */
  read: (body: Buffer, caller: string) => Promise<SnsPosted | null>
}>

/** Behind the prefix of the API. */
export const SES_PATH = '/providers/email/ses'

/** What is signed, by the type of the message (https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message-verify-message-signature.html). */
const CONFIRMATION = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']
const SIGNED: Readonly<Record<string, readonly string[]>> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: CONFIRMATION,
  UnsubscribeConfirmation: CONFIRMATION,
}
const OPTIONAL = 'Subject'
const DIGESTS: Readonly<Record<string, string>> = { '1': 'sha1', '2': 'sha256' }
const CERTIFICATE = /^\/SimpleNotificationService-[\da-f]{32}\.pem$/
const SIGNATURE = /^[A-Za-z\d+/]{100,1400}={0,2}$/
const TOKEN = /^[\w-]{1,1024}$/

/**
 * Verifies and reads what SNS posts: the whole message is signed by the key of a certificate that SNS serves. The certificate is fetched from the SNS of the topic's own region, whatever
 * the message names, so that a stranger's certificate is never looked at; a message of a topic that is not configured is refused before anything is fetched.
 */
export function createSnsInbox(topics: readonly SnsTopic[]): SnsInbox {
  const servers = new Map([...new Set(topics.map(({ origin }) => origin))].map((origin) => [origin, createSnsServer(origin)]))
  return {
    read: async (body, caller) => {
      const posted = fieldsIn(body.toString('utf8'))
      const topic = topics.find(({ arn }) => arn === posted.TopicArn)
      const server = topic && servers.get(topic.origin)
      const letter = topic && letterIn(posted, topic)
      if (!topic || !server || !letter) return null
      const key = await server.keyOf(letter.certificate, caller)
      if (key === null || !isSigned(letter, key)) return null
      if (letter.type !== 'SubscriptionConfirmation') return { message: letter.type === 'Notification' ? letter.message : null }
      const query = new URLSearchParams({ Action: 'ConfirmSubscription', TopicArn: topic.arn, Token: letter.token })
      const { status } = await server.get(`/?${query}`).catch(() => ({ status: 0 }))
      if (status < 200 || status >= 300) throw new SnsAway('the subscription cannot be confirmed')
      return { message: null }
    },
  }
}

type Letter = Readonly<{
  type: string
  message: string
  token: string
  signed: string
  digest: string
  signature: Buffer
  certificate: string
}>

function letterIn(posted: Fields, topic: SnsTopic): Letter | null {
  const text = (name: string): string => (typeof posted[name] === 'string' ? posted[name] : '')
  const type = text('Type')
  const names = Object.hasOwn(SIGNED, type)
    ? SIGNED[type]?.filter((name) => name !== OPTIONAL || typeof posted[name] === 'string')
    : undefined
  const digest = Object.hasOwn(DIGESTS, text('SignatureVersion')) ? DIGESTS[text('SignatureVersion')] : undefined
  const url = text('SigningCertURL')
  const certificate = url.startsWith(`${topic.origin}/`) ? url.slice(topic.origin.length) : ''
  if (names === undefined || digest === undefined || !CERTIFICATE.test(certificate)) return null
  if (!SIGNATURE.test(text('Signature')) || names.some((name) => typeof posted[name] !== 'string')) return null
  if (type === 'SubscriptionConfirmation' && !TOKEN.test(text('Token'))) return null
  const signed = names.map((name) => `${name}\n${text(name)}\n`).join('')
  return {
    type,
    message: text('Message'),
    token: text('Token'),
    signed,
    digest,
    signature: Buffer.from(text('Signature'), 'base64'),
    certificate,
  }
}

const isSigned = ({ digest, signed, signature }: Letter, key: KeyObject): boolean => verify(digest, Buffer.from(signed), key, signature)
