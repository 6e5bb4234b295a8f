import { handledUpTo } from '@tidings/bus'
import { type ListId, list, listStream, type WorkspaceId } from '@tidings/domain'
import { DYNAMIC_LISTS } from '@tidings/jobs'
import { requireShown } from '@tidings/projections'
import { isComputed } from '../dynamic-lists/is-computed.ts'
import type { CampaignWork } from './campaign-work.ts'
import type { ReadCampaign } from './read-campaign.ts'
import type { CampaignRunUpdate, OwnedRun } from './run-table.ts'
import { takeAudience } from './take-audience.ts'

/** What the read models must show before an audience is taken. */
const READ_MODELS: readonly string[] = ['lists', 'profiles']
const AGAIN_MS = 1_000

/**
 * Takes the audience once reads show its members (M44): those that the log had at the start and, for a dynamic list, the changes by its newest
 * rule. Until then the campaign is `sending`, and its row names the reason for the wait. Throws `ReadSideBehind`.
 */
export async function audienceWhenShown(
  work: CampaignWork,
  owned: OwnedRun,
  { state, started, audienceAt }: ReadCampaign,
): Promise<CampaignRunUpdate> {
  const now = work.now()
  if (started === null) return { dueAt: now + AGAIN_MS }
  const { run } = owned
  const { listId, startedAt } = started.data
  await requireShown(work.reads, started.position, READ_MODELS)
  const version = listId === null ? null : await ruleVersion(work, run.workspaceId, listId)
  if (listId !== null && version !== null) {
    const upTo = started.position.commit
    const decision = `${run.campaignId}/${version}`
    const isHandled = (await handledUpTo(work.pool, DYNAMIC_LISTS)) >= upTo
    if (!isHandled || !(await isComputed(work.pool, { workspaceId: run.workspaceId, listId, version, upTo }))) {
      work.heads.forget(decision)
      return { dueAt: now + AGAIN_MS, waitsFor: 'rule_computing' }
    }
    await requireShown(work.reads, await work.heads.of(decision), READ_MODELS)
    work.heads.forget(decision)
  }
  // A contact that a rule adds while it is computed joins after the start and belongs to the audience; no process need have seen the computation.
  const joinedBy = version === null ? startedAt : (audienceAt ?? new Date(work.now()).toISOString())
  return { dueAt: now, recipients: await takeAudience(work.pool, owned, { channel: state.channel, listId, joinedBy }), waitsFor: null }
}

/** Null for a static list. */
const ruleVersion = async ({ commands }: CampaignWork, workspaceId: WorkspaceId, listId: ListId): Promise<number | null> => {
  const { state } = await commands.load({ decider: list, stream: listStream(workspaceId, listId), workspaceId })
  return state?.listType === 'dynamic' ? (state.rule?.version ?? null) : null
}
