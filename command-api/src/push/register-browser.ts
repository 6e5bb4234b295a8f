import { createHash } from 'node:crypto'
import type { AppendContext } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import {
  type ConsentStatement,
  type ContactBrowser,
  type ContactId,
  type ContactState,
  contact,
  contactStream,
  MAX_BROWSERS,
  type PushSubscriptionState,
  pushSubscription,
  pushSubscriptionStream,
  Refused,
} from '@tidings/domain'
import type { Position } from '@tidings/event-store'

type Runner = Readonly<{ commands: CommandRunner }>
type Browser = Readonly<{
  endpoint: string
  p256dh: string
  auth: string
  userAgent: string | null
  browser: string | null
  platform: string | null
}>

/** `evidence`: of the request, for the history of the consent (D1). */
type Registering = Readonly<{
  context: AppendContext
  contactId: ContactId
  browser: Browser
  evidence: Readonly<{ ip: string; userAgent: string | null }>
}>

type Registered = Readonly<{ subscription: PushSubscriptionState; positions: readonly (Position | null)[] }>
type Written = Registered & Readonly<{ droppedBrowsers: readonly ContactBrowser[] }>

/**
 * Writes the subscription, the contact's browser with the consent, and takes the browser from the contact that had it: in one append, where the
 * log can. Else in that order, each idempotent under the command's id: a browser without its consent gets nothing, and the repetition of the
 * request does what a crash cut off. One that stays with its former contact is found out when something is sent to it. A browser for which the contact
 * has no room any more is revoked, before it is dropped: cut off in between, the next message finds it revoked. Throws `Refused('contact_not_found')`.
 */
export async function registerBrowser({ commands }: Runner, registering: Registering): Promise<Registered> {
  const { context, contactId } = registering
  const { workspaceId } = context
  const registration = registrationOf(registering)
  const known = await commands.load({ decider: contact, stream: contactStream(workspaceId, contactId), workspaceId })
  if (!known.state.exists) throw new Refused('contact_not_found')
  const foreseen = await revokeDropped({ commands }, context, toBeDropped(known.state, registration.command.data.endpointHash))
  const { state: before } = await commands.load({ ...registration, workspaceId })
  const written = (await writeTogether({ commands }, registering, before)) ?? (await writeOneByOne({ commands }, registering))
  const { subscription, positions, droppedBrowsers } = written
  const found = await revokeDropped({ commands }, context, droppedBrowsers)
  return { subscription, positions: [...foreseen, ...positions, ...found] }
}

const registrationOf = ({ context, contactId, browser }: Registering) => {
  const endpointHash = createHash('sha256').update(browser.endpoint).digest('hex')
  const data = { ...browser, subscriptionId: context.commandId, contactId, endpointHash, createdAt: context.at }
  return {
    decider: pushSubscription,
    stream: pushSubscriptionStream(context.workspaceId, endpointHash),
    command: { type: 'RegisterPushSubscription', data },
    context,
  } as const
}

const additionOf = ({ context, contactId, evidence }: Registering, { endpointHash, registration }: PushSubscriptionState) => {
  const consent: ConsentStatement = { channel: 'push', status: 'subscribed', source: 'storefront_popup', ...evidence }
  return {
    decider: contact,
    stream: contactStream(context.workspaceId, contactId),
    command: { type: 'AddBrowser', data: { contactId, endpointHash, registration, consent } },
    context,
  } as const
}

/** Null where the browser had no other contact. */
const removalOf = ({ context, contactId }: Registering, before: PushSubscriptionState) => {
  const { contactId: former, endpointHash, registration } = before
  if (registration === 0 || former === contactId) return null
  return {
    decider: contact,
    stream: contactStream(context.workspaceId, former),
    command: { type: 'RemoveBrowser', data: { contactId: former, endpointHash, registration, because: 'moved' } },
    context,
  } as const
}

/** Null where nothing was written. */
const writeTogether = async ({ commands }: Runner, registering: Registering, before: PushSubscriptionState): Promise<Written | null> => {
  const own = commands.writesTogether ? commands.draft(registrationOf(registering)) : null
  if (own === null) return null
  const removal = removalOf(registering, before)
  if (removal !== null) await commands.load({ ...removal, workspaceId: registering.context.workspaceId })
  const addition = commands.draft(additionOf(registering, own.state))
  const drafts = [own, addition, removal && draftOrNull({ commands }, removal)].filter((draft) => draft !== null)
  const appended = await commands.writeTogether(drafts)
  if (!appended) return null
  let droppedBrowsers: readonly ContactBrowser[] = []
  for (const [i, draft] of drafts.entries()) {
    if (!appended[i]) continue
    if (draft !== addition) draft.confirm(appended[i])
    else {
      const added = addition.confirm(appended[i])
      droppedBrowsers = dropped(added.before, added.state)
    }
  }
  return { subscription: own.state, positions: appended.map(({ position }) => position), droppedBrowsers }
}

/** The former contact may be gone, and then has nothing to lose. */
const draftOrNull = ({ commands }: Runner, removal: NonNullable<ReturnType<typeof removalOf>>) => {
  try {
    return commands.draft(removal)
  } catch (error) {
    if (error instanceof Refused) return null
    throw error
  }
}

const writeOneByOne = async ({ commands }: Runner, registering: Registering): Promise<Written> => {
  const registered = await commands.execute(registrationOf(registering))
  const added = await commands.execute(additionOf(registering, registered.state))
  const removal = removalOf(registering, registered.before)
  const removed = removal && (await commands.execute(removal).catch(unlessGone))
  const positions = [registered.position, added.position, removed?.position ?? null]
  return { subscription: registered.state, positions, droppedBrowsers: dropped(added.before, added.state) }
}

const unlessGone = (error: unknown): null => {
  if (error instanceof Refused) return null
  throw error
}

/** The browser that this registration will drop from the contact, which has room for so many. */
function toBeDropped({ browsers }: ContactState, endpointHash: string): readonly ContactBrowser[] {
  const isKnown = browsers.some((browser) => browser.endpointHash === endpointHash)
  return isKnown ? [] : browsers.slice(0, Math.max(0, browsers.length + 1 - MAX_BROWSERS))
}

/** The browsers that a registration has dropped: others may have registered since the prediction. */
function dropped(before: ContactState, after: ContactState): readonly ContactBrowser[] {
  const kept = new Set(after.browsers.map(({ endpointHash }) => endpointHash))
  return before.browsers.filter(({ endpointHash }) => !kept.has(endpointHash))
}

/** A browser that its contact does not know is called no more, and may not count as live: the last live one keeps the consent (N188). */
async function revokeDropped(
  { commands }: Runner,
  context: AppendContext,
  browsers: readonly ContactBrowser[],
): Promise<readonly (Position | null)[]> {
  const { workspaceId } = context
  const revoked = browsers.map(({ endpointHash, registration }) =>
    commands.execute({
      decider: pushSubscription,
      stream: pushSubscriptionStream(workspaceId, endpointHash),
      command: { type: 'RevokePushSubscription', data: { registration, reason: 'too_many_browsers' } },
      context,
    }),
  )
  return (await Promise.all(revoked)).map(({ position }) => position)
}
