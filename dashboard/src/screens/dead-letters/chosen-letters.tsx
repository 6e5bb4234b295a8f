import { Button, Group, TextInput } from '@mantine/core'
import { isVisible } from '@tidings/domain'
import { type FormEvent, useState } from 'react'
import type { ShownDeadLetter } from '../../api/calls.ts'
import { BulkProgress, useBulk } from '../../ui/bulk-progress.tsx'
import { FormButtons, FormDialog } from '../../ui/form-dialog.tsx'
import { useWords } from '../../words/words.tsx'
import { useSettle } from './dead-letters.api.ts'

type Props = Readonly<{ chosen: readonly ShownDeadLetter[]; onClear: () => void }>

const nameOf = ({ id, reference }: ShownDeadLetter) => ({ id, name: reference })
const show = ({ name }: Readonly<{ name: string }>) => <bdi dir="ltr">{name}</bdi>

/** What can be done with the dead letters that are chosen. */
export function ChosenLetters({ chosen, onClear }: Props) {
  const { deadLetters: words, bulk: bulkWords } = useWords()
  const [given, setGiven] = useState<readonly ShownDeadLetter[] | null>(null)
  const { retry, refresh } = useSettle()
  const trying = useBulk({ nameOf, doOne: ({ id }: ShownDeadLetter) => retry(id), refresh })
  const close = () => setGiven(null)
  return (
    <>
      {chosen.length > 0 && (
        <Group gap="sm" role="group" aria-label={words.chosen(chosen.length)}>
          <strong>{words.chosen(chosen.length)}</strong>
          <Button
            variant="default"
            size="compact-sm"
            disabled={trying.progress?.isOver === false}
            onClick={() => void trying.begin(chosen)}
          >
            {words.retry}
          </Button>
          <Button variant="default" size="compact-sm" onClick={() => setGiven(chosen)}>
            {words.discard}
          </Button>
          <Button variant="subtle" size="compact-sm" onClick={onClear}>
            {bulkWords.clear}
          </Button>
        </Group>
      )}
      {trying.progress && (
        <BulkProgress progress={trying.progress} sentences={words} show={show} onStop={trying.stop} onClose={trying.clear} />
      )}
      <FormDialog opened={given !== null} onClose={close} title={words.discardTitle(given?.length ?? 0)}>
        {given !== null && <DiscardForm letters={given} onClose={close} />}
      </FormDialog>
    </>
  )
}

/** Closing the dialog stops it. */
function DiscardForm({ letters, onClose }: Readonly<{ letters: readonly ShownDeadLetter[]; onClose: () => void }>) {
  const { deadLetters: words } = useWords()
  const [reason, setReason] = useState('')
  const { discard, refresh } = useSettle()
  const bulk = useBulk({ nameOf, doOne: ({ id }: ShownDeadLetter) => discard(id, reason), refresh })
  if (bulk.progress !== null)
    return <BulkProgress progress={bulk.progress} sentences={words} show={show} onStop={bulk.stop} onClose={onClose} />
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    void bulk.begin(letters)
  }
  return (
    <form onSubmit={submit}>
      <p>{words.discardHelp}</p>
      <TextInput
        label={words.reason}
        required
        maxLength={500}
        dir="auto"
        data-autofocus
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <FormButtons verb={words.discard} pending={false} disabled={!isVisible(reason)} onClose={onClose} />
    </form>
  )
}
