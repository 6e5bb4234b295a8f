import { trackHtml } from './html/track-html.ts'
import { decodeRequest, encodeRequest, type LinkRequest, type OfMessage } from './tokens/link-token.ts'
import { type DeriveKey, openToken, sealToken, type TokenKeys, tokenKeys } from './tokens/sealed-token.ts'

type Derivers = readonly [DeriveKey, ...DeriveKey[]]

/**
 * `publicUrl`: how the world reaches this service, without a slash at the end. `derive`: the key that makes tokens first; all of them open
 * tokens. Asked each time: another list means that a key was replaced meanwhile.
 */
export type LinksSettings = Readonly<{ publicUrl: string; derive: () => Derivers }>

export type Links = Readonly<{
  /** The mail with its links by way of this service, and the pixel; what is not a web link stays, and so do links to unsubscribe. */
  track: (html: string, of: OfMessage) => string
  /** A page where its recipient unsubscribes from email. */
  unsubscribeUrl: (of: OfMessage & Readonly<{ contactId: string }>) => string
  /** What a token asks for; null when it is not one of ours, or asks for something else than `kind`. */
  open: <Kind extends LinkRequest['kind']>(kind: Kind, token: unknown) => Extract<LinkRequest, { kind: Kind }> | null
}>

/** Makes the links that mails carry, and opens what comes back. */
export const createLinks = ({ publicUrl, derive }: LinksSettings): Links => {
  const keys = keysOf(derive)
  const urlOf = (path: string, request: LinkRequest): string => `${publicUrl}${path}?t=${sealToken(keys()[0], encodeRequest(request))}`
  const unsubscribing = `${publicUrl}/u?t=`
  return {
    track: (html, of) =>
      trackHtml(html, {
        linkTo: (url, link) => (url.startsWith(unsubscribing) ? null : urlOf('/c', { kind: 'click', ...of, link, url })),
        pixel: urlOf('/o.gif', { kind: 'open', ...of }),
      }),
    unsubscribeUrl: (of) => urlOf('/u', { kind: 'unsubscribe', ...of }),
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
