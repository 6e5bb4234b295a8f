import { isOurs, messageOf, post, publicKey, readShop, writeShop } from './shop.js'

// Web push in a page of a shop. It sets no cookie, and asks for permission only when the page calls `subscribe`.
const tag = document.currentScript?.dataset ?? {}
const { serviceWorker: workerOfTag = '/push-sw.js', endpoint: endpointOfTag } = tag

/** No key is needed here: the shop's server has it. A secret one beside the script is a mistake that opens every contact. */
const refuseSecret = (given) => {
  if (tag.allowSecret == null && /sk_evt_/i.test(JSON.stringify(given)))
    throw new Error('tidings: a secret key in a page opens all contacts to its readers: keep it on your server or set data-allow-secret')
}

const isSupported = () => Boolean(publicKey && isSecureContext && navigator.serviceWorker && self.PushManager && self.Notification)

const workerUrl = (path) => {
  const url = new URL(path, location.href)
  if (url.origin !== location.origin) throw new Error(`tidings: the service worker must be a file of ${location.origin}`)
  return url.href
}
// Under `require-trusted-types-for 'script'` a service worker is registered only by an address that a policy passed.
let policy
const trustedUrl = (path) => {
  if (!self.trustedTypes) return workerUrl(path)
  policy ??= trustedTypes.createPolicy('tidings-push', { createScriptURL: workerUrl })
  return policy.createScriptURL(path)
}

const activeRegistration = async (path) => {
  const registration = await navigator.serviceWorker.register(trustedUrl(path))
  const worker = registration.installing ?? registration.waiting
  if (registration.active || !worker) return registration
  await new Promise((resolve, reject) => {
    worker.addEventListener('statechange', () => {
      if (worker.state === 'activated') resolve()
      if (worker.state === 'redundant') reject(new Error('tidings: the service worker could not be installed'))
    })
  })
  return registration
}

const currentSubscription = async (path) => {
  const registration = await navigator.serviceWorker.getRegistration(new URL('./', workerUrl(path)).href)
  const subscription = await registration?.pushManager.getSubscription()
  return subscription && isOurs(subscription) ? subscription : null
}

const state = async ({ serviceWorker = workerOfTag } = {}) => {
  if (!isSupported()) return 'unsupported'
  if (Notification.permission === 'denied') return 'denied'
  return Notification.permission === 'granted' && (await currentSubscription(serviceWorker)) ? 'subscribed' : 'unsubscribed'
}

const BROWSERS = {
  Edge: /Edg/,
  Opera: /OPR\//,
  'Samsung Internet': /SamsungBrowser/,
  Firefox: /Firefox|FxiOS/,
  Chrome: /Chrome|CriOS/,
  Safari: /Safari/,
}
const labelsOfBrowser = () => {
  const { userAgent, userAgentData, platform } = navigator
  const browser = Object.keys(BROWSERS).find((name) => BROWSERS[name].test(userAgent))
  const system = userAgentData?.platform || platform
  return { userAgent: userAgent.slice(0, 500), ...(browser && { browser }), ...(system && { platform: system.slice(0, 64) }) }
}

const report = async (subscription, { endpoint, send }) => {
  const { reported } = await readShop()
  const labels = labelsOfBrowser()
  const message = messageOf(subscription, { labels, reported })
  if (send) await send(message)
  else await post(endpoint, message)
  await writeShop({ endpoint: endpoint ? new URL(endpoint, location.href).href : null, reported: subscription.endpoint, labels })
}

/** Without an endpoint the service worker does not renew what the page ends. */
const end = async (subscription) => {
  await writeShop({ ...(await readShop()), endpoint: null })
  await subscription?.unsubscribe()
}

const subscribe = async ({ serviceWorker = workerOfTag, endpoint = endpointOfTag, send, ...others } = {}) => {
  refuseSecret([tag, others, endpoint])
  if (!isSupported()) return 'unsupported'
  if (!endpoint && !send) throw new Error('tidings: say where the subscription goes: subscribe({ endpoint: "/push-subscriptions" })')
  workerUrl(serviceWorker)
  // First of all: browsers ask only in answer to a click, and forget the click while a page waits for something else.
  const permission = await Notification.requestPermission()
  if (permission !== 'granted') return permission === 'denied' ? 'denied' : 'unsubscribed'
  const { pushManager } = await activeRegistration(serviceWorker)
  const known = await pushManager.getSubscription()
  const kept = known && isOurs(known) ? known : null
  if (known && !kept) await end(known)
  const subscription = kept ?? (await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey }))
  try {
    await report(subscription, { endpoint, send })
  } catch (cause) {
    // A browser that the shop does not know of must not look subscribed.
    if (!kept) await end(subscription)
    throw new Error(`tidings: the shop did not take the subscription: ${cause?.message}`, { cause })
  }
  return 'subscribed'
}

const unsubscribe = async ({ serviceWorker = workerOfTag } = {}) => {
  if (!isSupported()) return 'unsupported'
  await end(await currentSubscription(serviceWorker))
  return state({ serviceWorker })
}

self.tidings = { ...self.tidings, push: { state, subscribe, unsubscribe } }
