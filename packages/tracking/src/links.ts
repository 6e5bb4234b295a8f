import { trackHtml } from './html/track-html.ts'
import { decodeRequest, encodeRequest, type LinkRequest, type OfMessage } from './tokens/link-token.ts'
import { type DeriveKey, openToken, sealToken, tokenKeys } from './tokens/sealed-token.ts'

/** `publicUrl`: how the world reaches this service, without a slash at the end. `derive`: from the newest key on; all of them open tokens. */
export type LinksSettings = Readonly<{ publicUrl: string; derive: readonly [DeriveKey, ...DeriveKey[]] }>

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
  const keys = derive.map(tokenKeys)
  const [newest = tokenKeys(derive[0])] = keys
  const urlOf = (path: string, request: LinkRequest): string => `${publicUrl}${path}?t=${sealToken(newest, encodeRequest(request))}`
  const unsubscribing = `${publicUrl}/u?t=`
  return {
    track: (html, of) =>
      trackHtml(html, {
        linkTo: (url, link) => (url.startsWith(unsubscribing) ? null : urlOf('/c', { kind: 'click', ...of, link, url })),
        pixel: urlOf('/o.gif', { kind: 'open', ...of }),
      }),
    unsubscribeUrl: (of) => urlOf('/u', { kind: 'unsubscribe', ...of }),
    open: (kind, token) => {
      const bytes = typeof token === 'string' ? openToken(keys, token) : null
      const request = bytes === null ? null : decodeRequest(bytes)
      // The cast is the edge where the kind that was compared becomes the type.
      return request?.kind === kind ? (request as Extract<LinkRequest, { kind: typeof kind }>) : null
    },
  }
}
