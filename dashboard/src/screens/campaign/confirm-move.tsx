import { Checkbox } from '@mantine/core'
import type { CampaignMove } from '@tidings/domain'
import { useState } from 'react'
import type { Campaign } from '../../api/calls.ts'
import { useCampaignFigures } from '../../ui/campaign-progress.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { useSubmitKey } from '../../ui/use-submit-key.ts'
import { useWords } from '../../words/words.tsx'
import { useAudience, useMove } from './campaign.api.ts'

type Props = Readonly<{ campaign: Campaign; move: Exclude<CampaignMove, 'schedule'>; onClose: () => void }>

/** Asks before a move. One dialog has one key: two presses move it once. */
export function ConfirmMove({ campaign, move, onClose }: Props) {
  const { campaign: words } = useWords()
  const { key: idempotencyKey, onError } = useSubmitKey()
  const [newest, setNewest] = useState(false)
  const moving = useMove(campaign.id, onClose)
  const hasTexts = move === 'resume' && campaign.startedAt !== null
  const texts = hasTexts && newest ? ({ texts: 'newest' } as const) : {}
  const submit = (): void => moving.mutate({ move, idempotencyKey, ...texts }, { onError })
  return (
    <Confirm
      opened
      title={words.moveTitles[move]}
      verb={words.moves[move]}
      dangerous={move === 'cancel' || move === 'pause'}
      pending={moving.isPending}
      error={moving.error}
      onConfirm={submit}
      onClose={onClose}
    >
      <WhatHappens campaign={campaign} move={move} />
      {hasTexts && (
        <Checkbox mt="md" label={words.newestTexts} checked={newest} onChange={(event) => setNewest(event.currentTarget.checked)} />
      )}
    </Confirm>
  )
}

/** What the move does, and to how many. */
function WhatHappens({ campaign, move }: Omit<Props, 'onClose'>) {
  const { campaign: words } = useWords()
  const isBegin = move === 'start' || (move === 'resume' && campaign.startedAt === null)
  const { data: audience } = useAudience(campaign, isBegin)
  const { data: figures } = useCampaignFigures(campaign.id)
  if (isBegin)
    return (
      <span role="status">
        {campaign.listId === null
          ? words.noList
          : audience === undefined
            ? words.counting
            : words.startHelp(audience.mayGet, audience.members, audience.isEstimate)}
      </span>
    )
  const left = figures === undefined ? null : figures.waiting + figures.queued
  return <span role="status">{words.moveHelp[move](left)}</span>
}
