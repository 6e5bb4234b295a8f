import type { Recorded } from '@tidings/codec'
import { type MarketingRules, type WorkspaceEvent, workspace } from '@tidings/domain'
import type { Fact } from '../fact.ts'
import { factsAtMoments } from './facts-at-moments.ts'
import type { KnownMessage } from './known-message.ts'

/** The rules of the workspace that hold for marketing alone (M34). */
export function marketingFacts(known: KnownMessage, events: readonly Recorded<WorkspaceEvent>[]): readonly Fact[] {
  const { data } = known.accepted
  if (!('kind' in data) || data.kind !== 'marketing') return []
  return factsAtMoments(known, {
    events,
    changes: ({ type }) => type === 'WorkspaceCreated' || type === 'MarketingRulesChanged',
    says: (before) => rulesOf(before.reduce(workspace.evolve, workspace.initialState).marketing),
  })
}

const rulesOf = ({ timezone, quietHours, frequencyCap }: MarketingRules): string =>
  [
    quietHours === null
      ? 'no quiet hours'
      : `quiet hours from ${quietHours.from} to ${quietHours.to}, ${timezone} for contacts without a time zone`,
    frequencyCap === null ? 'no frequency cap' : `at most ${frequencyCap.messages} marketing messages in ${frequencyCap.days} days`,
  ].join('; ')
