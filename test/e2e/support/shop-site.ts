import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A shop's web site on an origin of its own. Its policy allows one script by its nonce and calls to the service, and no inline style. */
export type ShopSite = Readonly<{
  origin: string
  /** The address of a page with this html. */
  page: (html: string) => string
  close: () => Promise<void>
}>

const NONCE = 'c2hvcA'

export async function startShopSite(serviceUrl: string): Promise<ShopSite> {
  const pages = new Map<string, string>()
  const policy = `default-src 'none'; script-src 'nonce-${NONCE}'; connect-src ${serviceUrl}; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'`
  const server = createServer((request, response) => {
    const html = pages.get((request.url ?? '').split('?', 1)[0] ?? '')
    response.writeHead(html === undefined ? 204 : 200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy })
    response.end(html)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    page: (html) => {
      const path = `/page-${pages.size}`
      pages.set(path, html)
      return `${origin}${path}?utm_source=test#part`
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type Embedding = Readonly<{ url: string; slug: string; key: string; formId?: string; attributes?: string }>

/** The script tag that the how-to shows, with a nonce. */
export function embedTag({ url, slug, key, formId, attributes = '' }: Embedding): string {
  const form = formId === undefined ? '' : ` data-form-id="${formId}"`
  return `<script nonce="${NONCE}" src="${url}/forms/embed.js" data-tenant="${slug}" data-key="${key}"${form} ${attributes}></script>`
}
