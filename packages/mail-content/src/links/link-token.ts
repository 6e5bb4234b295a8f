import { asContactId, asMessageId, asWorkspaceId, type ContactId, type MessageId, type WorkspaceId } from '@tidings/domain'

/** The workspace and the message; ids are UUIDs. */
export type OfMessage = Readonly<{ workspaceId: WorkspaceId; messageId: MessageId }>

/** What a link in a mail asks for. `link` counts the links of the mail from 0; `url` is its original address. */
export type LinkRequest =
  | (Readonly<{ kind: 'open' }> & OfMessage)
  | (Readonly<{ kind: 'click'; link: number; url: string }> & OfMessage)
  | (Readonly<{ kind: 'unsubscribe'; contactId: ContactId }> & OfMessage)
  | (Readonly<{ kind: 'confirm' }> & OfMessage)
  /** `messageId`: of the mail that asks the mailbox of a sender address. */
  | (Readonly<{ kind: 'verify'; addressId: string }> & OfMessage)

/** The number of a kind is in every token of it: a new kind comes last. */
const KINDS = ['open', 'click', 'unsubscribe', 'confirm', 'verify'] as const
const UUID_BYTES = 16
const OF_MESSAGE_BYTES = 1 + 2 * UUID_BYTES
const LINK_BYTES = 2

/** Kind, workspace, message; then a click's number and address, an unsubscription's contact, or a confirmation's sender address. */
export function encodeRequest(request: LinkRequest): Buffer {
  const more = moreBytes(request)
  const bytes = Buffer.allocUnsafe(OF_MESSAGE_BYTES + more)
  bytes[0] = KINDS.indexOf(request.kind)
  writeUuid(bytes, request.workspaceId, 1)
  writeUuid(bytes, request.messageId, 1 + UUID_BYTES)
  if (request.kind === 'unsubscribe') writeUuid(bytes, request.contactId, OF_MESSAGE_BYTES)
  if (request.kind === 'verify') writeUuid(bytes, request.addressId, OF_MESSAGE_BYTES)
  if (request.kind === 'click') {
    bytes.writeUInt16BE(request.link, OF_MESSAGE_BYTES)
    bytes.write(request.url, OF_MESSAGE_BYTES + LINK_BYTES, 'utf8')
  }
  return bytes
}

/** The request that was encoded; null where the bytes are not one. */
export function decodeRequest(bytes: Buffer): LinkRequest | null {
  const kind = KINDS[bytes[0] ?? KINDS.length]
  if (kind === undefined || bytes.length < OF_MESSAGE_BYTES) return null
  const of = { workspaceId: asWorkspaceId(readUuid(bytes, 1)), messageId: asMessageId(readUuid(bytes, 1 + UUID_BYTES)) }
  const more = bytes.subarray(OF_MESSAGE_BYTES)
  if (kind === 'open' || kind === 'confirm') return more.length === 0 ? { kind, ...of } : null
  if (kind === 'unsubscribe') return more.length === UUID_BYTES ? { kind, ...of, contactId: asContactId(readUuid(more, 0)) } : null
  if (kind === 'verify') return more.length === UUID_BYTES ? { kind, ...of, addressId: readUuid(more, 0) } : null
  return more.length <= LINK_BYTES ? null : { kind, ...of, link: more.readUInt16BE(0), url: more.toString('utf8', LINK_BYTES) }
}

const moreBytes = (request: LinkRequest): number => {
  if (request.kind === 'click') return LINK_BYTES + Buffer.byteLength(request.url)
  return request.kind === 'unsubscribe' || request.kind === 'verify' ? UUID_BYTES : 0
}

const writeUuid = (bytes: Buffer, uuid: string, at: number): void => {
  if (bytes.write(uuid.replaceAll('-', ''), at, UUID_BYTES, 'hex') !== UUID_BYTES) throw new Error('an id of a link is not a UUID')
}

const readUuid = (bytes: Buffer, at: number): string => {
  const hex = bytes.toString('hex', at, at + UUID_BYTES)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
