/** The page and the service worker both begin with this file. The server writes the key of this installation, or null, in its place. */
export const publicKey = 'PUBLIC_KEY'

const base64url = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
/** A subscription under another key is that of another sender, or of a key that was replaced: nothing that we send reaches it. */
export const isOurs = ({ options }) => !options?.applicationServerKey || base64url(options.applicationServerKey) === publicKey

/** Why a shop did not take a subscription, or what it said. It waits ten seconds. */
export const post = async (endpoint, message) => {
  const { ok, status } = await fetch(endpoint, {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(message),
    signal: AbortSignal.timeout(10_000),
  })
  if (!ok) throw new Error(`${endpoint} answered ${status}`)
}

/** What a shop is sent. `replaces` is the endpoint that it took before, by which it knows whose browser this is. */
export const messageOf = (subscription, { labels, reported }) => {
  const { p256dh, auth } = subscription.toJSON().keys
  const { endpoint } = subscription
  return {
    subscription: { endpoint, keys: { p256dh, auth }, ...labels },
    replaces: reported && reported !== endpoint ? reported : null,
  }
}

const done = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
const inStore = async (mode, use) => {
  const opening = indexedDB.open('tidings-push', 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore('push')
  const database = await done(opening)
  try {
    return await done(use(database.transaction('push', mode).objectStore('push')))
  } finally {
    database.close()
  }
}
/** `endpoint` takes subscriptions, null where renewed ones go nowhere; `reported` is the last that it took; `labels` name the browser. */
export const readShop = async () => (await inStore('readonly', (push) => push.get('shop')).catch(() => null)) ?? {}
export const writeShop = (shop) =>
  inStore('readwrite', (push) => push.put(shop, 'shop')).catch(() =>
    console.warn('tidings: this browser stores nothing, so a subscription that it renews reaches the shop at the next visit'),
  )
