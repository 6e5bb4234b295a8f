import { setTimeout as sleep } from 'node:timers/promises'
import { createCommandRunner } from '@tidings/commands'
import { putSecretFile, readSecretFile, removeSecretFile } from '@tidings/config/secret-file'
import { workspaceIdOf } from '@tidings/directory'
import { Refused, type UserState, user, userStream, type WorkspaceId, workspace, workspaceStream } from '@tidings/domain'
import { isRetryable } from '@tidings/postgres'
import { applyWorkspaceFile, createApiKey, createProvisioner, type Provisioner } from '@tidings/provisioning'
import type { WorkspaceFile } from '@tidings/provisioning/workspace-file'
import { untilVisible } from '@tidings/service/read-side'
import type { Stores } from '@tidings/service/stores'
import { makeSignInLink, unusablePasswordHash, userIdOf } from '@tidings/sign-in'

const DEMO: WorkspaceFile = {
  workspace: { slug: 'demo', name: 'Demo', plan: 'free' },
  senderDomains: [{ domain: 'demo.example', verified: true }],
  senderAddresses: [{ email: 'hello@demo.example', name: 'Demo', verified: true }],
  templates: [
    {
      name: 'welcome',
      channel: 'email',
      subject: 'Welcome, {{firstName|there}}',
      html: '<p>Hello {{firstName|there}}, your code is <b>{{code}}</b>.</p>',
    },
  ],
}

const VISIBLE_MS = 10_000

const OWNER = 'owner@demo.example'
/** Longer than the hour of `user link`: the page may be opened some hours after the start. */
const LINK_HOURS = 24

/** Key and token are only known to the run that makes them. `linkToken`: of the owner's link, which signs in once. */
export type Demo = Readonly<{ slug: string; fromEmail: string; key: string; linkToken: string }>

const AGAIN_MS = 500

/** In the data directory from before the workspace is made until its key is printed. */
const UNPRINTED = 'demo-unprinted'

type DemoRun = Readonly<{ dataDir: string; isStopping: () => boolean }>

/**
 * Creates the demo workspace and its owner where there is none yet; null where a run has printed its key. A run that ends in between, wherever it
 * does, leaves a mark: the next makes what is missing, with a key of its own, since the one before is known to no one. A log or a database that
 * does not answer, as on a busy machine, is asked again until it does or a stop begins.
 */
export async function createDemo(stores: Stores, { dataDir, isStopping }: DemoRun): Promise<Demo | null> {
  const provisioner = createProvisioner(createCommandRunner({ log: stores.log }))
  const id = workspaceIdOf(DEMO.workspace.slug)
  for (;;) {
    try {
      const isUnprinted = (await readSecretFile(dataDir, UNPRINTED)) !== null
      const { exists, status } = await provisioner.load(id, workspace, workspaceStream(id))
      if (exists && !(isUnprinted && status === 'active')) return null
      await putSecretFile(dataDir, UNPRINTED, 'no start has printed the key of the demo workspace')
      return await makeDemo(stores, provisioner)
    } catch (error) {
      if (!isRetryable(error) || isStopping()) throw error
      await sleep(AGAIN_MS, undefined, { ref: false })
    }
  }
}

/** To be called when key and link are printed: no later run makes others. */
export async function noteDemoPrinted(dataDir: string): Promise<void> {
  await removeSecretFile(dataDir, UNPRINTED)
}

async function makeDemo(stores: Stores, provisioner: Provisioner): Promise<Demo> {
  const { slug } = DEMO.workspace
  const id = workspaceIdOf(slug)
  await applyWorkspaceFile(provisioner, DEMO)
  const owner = await provideOwner(provisioner, id)
  const key = await makeKey(provisioner, id)
  // The key that is printed works at once. A read side that is late does not delay the start further.
  await untilVisible(stores.pool, provisioner.last(), { timeoutMs: VISIBLE_MS })
  // Its session is an operator's as well, where only this machine can reach the service (M71): whether it can is asked at each request.
  const { token } = await makeSignInLink(stores.pool, { workspaceId: id, user: owner, hours: LINK_HOURS, isOperator: true })
  return { slug, fromEmail: 'hello@demo.example', key, linkToken: token }
}

/** The one that an earlier run or another at once has added, where there is one: its link is for the password hash that is stored. */
async function provideOwner(provisioner: Provisioner, id: WorkspaceId): Promise<NonNullable<UserState>> {
  const userId = userIdOf(id, OWNER)
  const stream = userStream(id, userId)
  for (;;) {
    const known = await provisioner.load(id, user, stream)
    if (known !== null) return known
    const data = { userId, email: OWNER, role: 'owner', passwordHash: unusablePasswordHash() } as const
    await provisioner.execute(id, user, stream, { type: 'AddUser', data }).catch((error: unknown) => {
      if (!(error instanceof Refused)) throw error
    })
  }
}

/** The first of the names `demo`, `demo 2`, … that no active key has. */
async function makeKey(provisioner: Provisioner, id: WorkspaceId): Promise<string> {
  const { apiKeys } = await provisioner.load(id, workspace, workspaceStream(id))
  const taken = new Set(Object.values(apiKeys).flatMap(({ name, status }) => (status === 'active' ? [name] : [])))
  let name = 'demo'
  for (let n = 2; taken.has(name); n++) name = `demo ${n}`
  return (await createApiKey(provisioner, id, { name, kind: 'secret' })).key
}
