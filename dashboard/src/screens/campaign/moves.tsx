import { Button } from '@mantine/core'
import { type CampaignMove, moveFrom } from '@tidings/domain'
import { useState } from 'react'
import type { Campaign } from '../../api/calls.ts'
import { useWords } from '../../words/words.tsx'
import { ConfirmMove } from './confirm-move.tsx'
import { Schedule } from './schedule.tsx'

/** In the order in which somebody looks for them. */
const ORDER: readonly CampaignMove[] = ['start', 'resume', 'schedule', 'unschedule', 'pause', 'cancel']

/** The moves that the state allows, by the rule that the service has too; each asks first, and says what happens and to how many. */
export function Moves({ campaign }: Readonly<{ campaign: Campaign }>) {
  const { campaign: words } = useWords()
  const [asked, setAsked] = useState<CampaignMove | null>(null)
  const allowed = ORDER.filter((move) => moveFrom[move].includes(campaign.status))
  const close = (): void => setAsked(null)
  return (
    <>
      {allowed.map((move, index) => (
        <Button key={move} {...(index > 0 && { variant: 'default' })} onClick={() => setAsked(move)}>
          {words.moves[move]}
        </Button>
      ))}
      <Schedule campaign={campaign} opened={asked === 'schedule'} onClose={close} />
      {asked !== null && asked !== 'schedule' && <ConfirmMove key={asked} campaign={campaign} move={asked} onClose={close} />}
    </>
  )
}
