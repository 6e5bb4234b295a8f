import type { ContactId, MergedContent } from '@tidings/domain'
import type { EmailTexts } from '../merge/merged-email.ts'
import { type TrackedMail, trackedMail } from '../outline/outlined-mail.ts'
import { decodeRequest, encodeRequest, type LinkRequest, type OfMessage } from './link-token.ts'
import { type DeriveKey, MAX_TOKEN_LENGTH, openToken, sealToken, type TokenKeys, tokenKeys } from './sealed-token.ts'
import { type Tracking, trackHtml } from './track-html.ts'

type Derivers = readonly [DeriveKey, ...DeriveKey[]]

/**
 * `publicUrl`: the public address of this service, without a slash at the end. `derive`: the first makes tokens, all of them open tokens. It is
 * called each time: another list means that a key was replaced meanwhile.
 */
type LinksSettings = Readonly<{ publicUrl: string; derive: () => Derivers }>

export type Links = Readonly<{
  /**
   * The mail with its web links leading through this service, and the pixel. Links to its pages, links that lead through it already, links too
   * long for a token and those that are no web links stay as they are (M51).
   */
  track: (html: string, of: OfMessage) => string
  /** The same of what was merged into a template, and the text part of the mail. */
  trackMerged: (merged: MergedContent, texts: EmailTexts, of: OfMessage) => TrackedMail
  /** A web address that leads through this service, which counts a click of a notification; one too long for a token as it is. */
  clickUrl: (url: string, of: OfMessage) => string
  /** The page where the recipient of the mail unsubscribes from email. */
  unsubscribeUrl: (of: OfMessage & Readonly<{ contactId: ContactId }>) => string
  /** The page where the recipient of the mail confirms a sign-up. */
  confirmUrl: (of: OfMessage) => string
  /** The page where the mailbox of a sender address confirms it. */
  verifyUrl: (of: OfMessage & Readonly<{ addressId: string }>) => string
  /** What a token asks for, also with punctuation of the text behind it; null when it was not made here, or is of another `kind`. */
  open: <Kind extends LinkRequest['kind']>(kind: Kind, token: unknown) => Extract<LinkRequest, { kind: Kind }> | null
}>

/** Where the links of mails lead, from the public address on: the routes of each are in `command-api`. */
export const LINK_PATHS = {
  click: '/c',
  open: '/o.gif',
  unsubscribe: '/u',
  confirm: '/forms/confirm',
  verify: '/verify',
} as const satisfies Record<LinkRequest['kind'], string>

/** What a mail program may take for a part of an address that ends a sentence or stands in brackets; none of it is in a token. */
const PUNCTUATION = /[\s.,:;!?)\]}>'"”’»]{1,8}$/

/** Makes the links of mails, and opens their tokens. */
export function createLinks({ publicUrl, derive }: LinksSettings): Links {
  const keys = keysOf(derive)
  const urlOf = (request: LinkRequest): string =>
    `${publicUrl}${LINK_PATHS[request.kind]}?t=${sealToken(keys()[0], encodeRequest(request))}`
  const { open: _, ...pages } = LINK_PATHS
  const own = Object.values(pages).map((path) => `${publicUrl}${path}?t=`)
  const longest = `${publicUrl}${LINK_PATHS.click}?t=`.length + MAX_TOKEN_LENGTH
  /** Null for an address whose token nothing would open. */
  const clickOf = (request: Extract<LinkRequest, { kind: 'click' }>): string | null => {
    const url = urlOf(request)
    return url.length > longest ? null : url
  }
  const tracking = (of: OfMessage): Tracking => ({
    linkTo: (url, link) => (own.some((start) => url.startsWith(start)) ? null : clickOf({ kind: 'click', ...of, link, url })),
    pixel: urlOf({ kind: 'open', ...of }),
  })
  return {
    track: (html, of) => trackHtml(html, tracking(of)),
    trackMerged: (merged, texts, of) => trackedMail(merged, texts, tracking(of)),
    clickUrl: (url, of) => clickOf({ kind: 'click', ...of, link: 0, url }) ?? url,
    unsubscribeUrl: (of) => urlOf({ kind: 'unsubscribe', ...of }),
    confirmUrl: (of) => urlOf({ kind: 'confirm', ...of }),
    verifyUrl: (of) => urlOf({ kind: 'verify', ...of }),
    open: (kind, token) => {
      const bytes = typeof token === 'string' ? openToken(keys(), token.replace(PUNCTUATION, '')) : null
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
