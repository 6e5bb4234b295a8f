import { trackHtml } from './html/track-html.ts'
import { decodeRequest, encodeRequest, type LinkRequest, type OfMessage } from './tokens/link-token.ts'
import { type DeriveKey, openToken, sealToken, type TokenKeys, tokenKeys } from './tokens/sealed-token.ts'

type Derivers = readonly [DeriveKey, ...DeriveKey[]]

/**
 * `publicUrl`: the public address of this service, without a slash at the end. `derive`: the first makes tokens, all of them open tokens. It is
 * called each time: another list means that a key was replaced meanwhile.
 */
type LinksSettings = Readonly<{ publicUrl: string; derive: () => Derivers }>

export type Links = Readonly<{
  /** The mail with its web links leading through this service, and the pixel. Links to unsubscribe or confirm, and all others, stay as they are. */
  track: (html: string, of: OfMessage) => string
  /** A web address that leads through this service, which counts a click of a notification. */
  clickUrl: (url: string, of: OfMessage) => string
  /** The page where the recipient of the mail unsubscribes from email. */
  unsubscribeUrl: (of: OfMessage & Readonly<{ contactId: string }>) => string
  /** The page where the recipient of the mail confirms a sign-up. */
  confirmUrl: (of: OfMessage) => string
  /** The page where the mailbox of a sender address confirms it. */
  verifyUrl: (of: OfMessage & Readonly<{ addressId: string }>) => string
  /** What a token asks for; null when it was not made here, or is of another `kind`. */
  open: <Kind extends LinkRequest['kind']>(kind: Kind, token: unknown) => Extract<LinkRequest, { kind: Kind }> | null
}>

/** Makes the links of mails, and opens their tokens. */
export function createLinks({ publicUrl, derive }: LinksSettings): Links {
  const keys = keysOf(derive)
  const urlOf = (path: string, request: LinkRequest): string => `${publicUrl}${path}?t=${sealToken(keys()[0], encodeRequest(request))}`
  const pages = [`${publicUrl}/u?t=`, `${publicUrl}/forms/confirm?t=`, `${publicUrl}/verify?t=`]
  return {
    track: (html, of) =>
      trackHtml(html, {
        linkTo: (url, link) => (pages.some((page) => url.startsWith(page)) ? null : urlOf('/c', { kind: 'click', ...of, link, url })),
        pixel: urlOf('/o.gif', { kind: 'open', ...of }),
      }),
    clickUrl: (url, of) => urlOf('/c', { kind: 'click', ...of, link: 0, url }),
    unsubscribeUrl: (of) => urlOf('/u', { kind: 'unsubscribe', ...of }),
    confirmUrl: (of) => urlOf('/forms/confirm', { kind: 'confirm', ...of }),
    verifyUrl: (of) => urlOf('/verify', { kind: 'verify', ...of }),
    open: (kind, token) => {
      const bytes = typeof token === 'string' ? openToken(keys(), token) : null
      const request = bytes === null ? null : decodeRequest(bytes)
      // The cast is the edge where the kind that was compared becomes the type.
      return request?.kind === kind ? (request as Extract<LinkRequest, { kind: typeof kind }>) : null
    },
  }
}

const keysOf = (derive: () => Derivers): (() => readonly [TokenKeys, ...TokenKeys[]]) => {
  let from = derive()
  const made = ([first, ...others]: Derivers) => [tokenKeys(first), ...others.map(tokenKeys)] as const
  let keys = made(from)
  return () => {
    const now = derive()
    if (now !== from) {
      from = now
      keys = made(from)
    }
    return keys
  }
}
