import { NativeSelect, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Campaign } from '../../api/calls.ts'
import { FormButtons, FormDialog } from '../../ui/form-dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Time } from '../../ui/time.tsx'
import { useSubmitKey } from '../../ui/use-submit-key.ts'
import { useZone } from '../../ui/zone.tsx'
import { localTime, zonedTime, zonesFrom } from '../../ui/zoned-time.ts'
import { useWords } from '../../words/words.tsx'
import { useMove } from './campaign.api.ts'
import styles from './campaign.module.css'

type Props = Readonly<{ campaign: Campaign; opened: boolean; onClose: () => void }>

const HOUR = 3_600_000

export function Schedule({ opened, onClose, ...rest }: Props) {
  const { campaign: words } = useWords()
  return (
    <FormDialog opened={opened} onClose={onClose} title={words.moveTitles.schedule}>
      <ScheduleForm onClose={onClose} {...rest} />
    </FormDialog>
  )
}

/** A time and its zone: the time of the same clock is another moment elsewhere, and one that a change of clocks leaves out is none. */
function ScheduleForm({ campaign, onClose }: Omit<Props, 'opened'>) {
  const { campaign: words } = useWords()
  const { zone: own } = useZone()
  const [zone, setZone] = useState(own)
  const [local, setLocal] = useState(() => localTime(new Date(Date.now() + HOUR), own))
  const { key: idempotencyKey, renew, onError } = useSubmitKey()
  const moving = useMove(campaign.id, onClose)
  const moment = zonedTime(local, zone)
  const at = typeof moment === 'string' ? null : moment.at
  const isOver = at !== null && Date.parse(at) <= Date.now()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (at !== null && !isOver) moving.mutate({ move: 'schedule', at, idempotencyKey }, { onError })
  }
  const mistake = moment === 'gap' ? words.timeGap : isOver ? words.timeOver : null
  return (
    <form onSubmit={submit} className={styles.preview}>
      <TextInput
        type="datetime-local"
        label={words.time}
        value={local}
        error={mistake}
        required
        data-autofocus
        onChange={(event) => {
          setLocal(event.currentTarget.value)
          renew()
        }}
      />
      <NativeSelect
        label={words.zone}
        value={zone}
        dir="ltr"
        data={[...zonesFrom(own, Intl.supportedValuesOf('timeZone'))]}
        onChange={(event) => {
          setZone(event.currentTarget.value)
          renew()
        }}
      />
      {at !== null && !isOver && (
        <p>
          {words.thatIs} <Time at={at} />
        </p>
      )}
      {moving.error && <Problem error={moving.error} />}
      <FormButtons verb={words.moves.schedule} pending={moving.isPending} disabled={at === null || isOver} onClose={onClose} />
    </form>
  )
}
