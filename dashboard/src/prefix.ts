/** The path of the dashboard itself; a piece of it that a browser has loaded stands below. */
const OWN = '/dashboard/'

/** `address`: of a piece of the dashboard. Returns what a proxy takes off every path before the service sees it, as the browser knows it: mostly nothing. */
export function prefixIn(address: string): string {
  const { protocol, pathname } = new URL(address)
  return /^https?:$/.test(protocol) ? pathname.slice(0, Math.max(pathname.lastIndexOf(OWN), 0)) : ''
}

export const prefix: string = prefixIn(import.meta.url)

/** An address of the service as a browser asks for it. The router does this for the paths of screens. */
export function outside(path: string): string {
  return `${prefix}${path}`
}

/** A path of this page as paths.ts builds it. */
export function inside(path: string): string {
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path
}
