import { setTimeout as sleep } from 'node:timers/promises'
import { createCommandRunner } from '@tidings/commands'
import { workspaceIdOf } from '@tidings/directory'
import { user, userStream, workspace, workspaceStream } from '@tidings/domain'
import { isRetryable } from '@tidings/postgres'
import { applyWorkspaceFile, createProvisioner, type Provisioner } from '@tidings/provisioning'
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

/** Key and token are only known on the first run. `linkToken`: of the owner's link, which signs in once. */
export type Demo = Readonly<{ slug: string; fromEmail: string; key: string; linkToken: string }>

const AGAIN_MS = 500

/**
 * Creates the demo workspace and its owner where there is none yet; null on every later run. A log or a database that does not answer, as on a
 * busy machine, is asked again until it does or a stop begins: the key is only known to the run that creates it.
 */
export async function createDemo(stores: Stores, isStopping: () => boolean): Promise<Demo | null> {
  const provisioner = createProvisioner(createCommandRunner({ log: stores.log }))
  const id = workspaceIdOf(DEMO.workspace.slug)
  let isNew = false
  for (let attempt = 1; ; attempt++) {
    try {
      isNew ||= !(await provisioner.load(id, workspace, workspaceStream(id))).exists
      return isNew ? await makeDemo(stores, provisioner, attempt) : null
    } catch (error) {
      if (!isRetryable(error) || isStopping()) throw error
      await sleep(AGAIN_MS, undefined, { ref: false })
    }
  }
}

/** `attempt`: a key that one before may have created is known to no one, so that each creates its own. */
async function makeDemo(stores: Stores, provisioner: Provisioner, attempt: number): Promise<Demo | null> {
  const { slug } = DEMO.workspace
  const id = workspaceIdOf(slug)
  const { applied } = await applyWorkspaceFile(provisioner, { ...DEMO, apiKeys: [{ name: attempt === 1 ? 'demo' : `demo ${attempt}` }] })
  const owner = { userId: userIdOf(id, OWNER), email: OWNER, role: 'owner', passwordHash: unusablePasswordHash() } as const
  const stream = userStream(id, owner.userId)
  if ((await provisioner.load(id, user, stream)) === null) await provisioner.execute(id, user, stream, { type: 'AddUser', data: owner })
  // The key that is printed works at once. A read side that is late does not delay the start further.
  await untilVisible(stores.pool, provisioner.last(), { timeoutMs: VISIBLE_MS })
  const key = applied.apiKeys[0]?.key
  if (key === undefined) return null
  // Its session is an operator's as well, where only this machine can reach the service (M71): whether it can is asked at each request.
  const { token } = await makeSignInLink(stores.pool, { workspaceId: id, user: owner, hours: LINK_HOURS, isOperator: true })
  return { slug, fromEmail: 'hello@demo.example', key, linkToken: token }
}
