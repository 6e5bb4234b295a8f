import { useQuery } from '@tanstack/react-query'
import type { CampaignFigures } from '../api/calls.ts'
import { client } from '../api/client.ts'
import { MOVING_MS, nextPoll } from '../api/polling.ts'
import { keys } from '../api/query-keys.ts'
import { useWords } from '../words/words.tsx'
import styles from './campaign-progress.module.css'

const mayChange = ({ status, queued }: CampaignFigures): boolean => status === 'sending' || queued > 0

/** What became of a campaign, asked again while messages of it may still leave. */
export function useCampaignFigures(id: string) {
  return useQuery({
    queryKey: [...keys.campaigns, 'figures', id],
    queryFn: ({ signal }) => client.read<CampaignFigures>(`/dashboard/campaigns/${encodeURIComponent(id)}/figures`, signal),
    refetchInterval: ({ state }) => (state.data && mayChange(state.data) ? nextPoll(MOVING_MS, state) : false),
  })
}

/** The part of the audience whose message has left, or will not, in whole percent. */
function percentOf({ audience, waiting, queued }: Pick<CampaignFigures, 'audience' | 'waiting' | 'queued'>): number {
  return audience === 0 ? 0 : Math.floor((Math.max(0, audience - waiting - queued) / audience) * 100)
}

/** A bar, and the same in words. */
export function CampaignProgress({ figures }: Readonly<{ figures: CampaignFigures }>) {
  const { campaign: words } = useWords()
  const { audience, waiting, queued } = figures
  const percent = percentOf(figures)
  return (
    <span className={styles.progress}>
      <progress value={percent} max={100} aria-label={words.progress} className={styles.bar} />
      <span>
        {percent} % <span className={styles.quiet}>{words.doneOf(Math.max(0, audience - waiting - queued), audience)}</span>
      </span>
    </span>
  )
}
