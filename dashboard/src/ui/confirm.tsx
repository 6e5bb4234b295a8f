import { Button, Group, Modal, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useWords } from '../words/words.tsx'
import { Problem } from './problem.tsx'

type Props = Readonly<{
  opened: boolean
  title: string
  children: ReactNode
  /** What is asked for beside, like a reason. */
  field?: ReactNode
  disabled?: boolean
  /** The button says the verb. */
  verb: string
  dangerous?: boolean
  /** Has to be typed, where it cannot be taken back. */
  word?: string
  pending: boolean
  error: Error | null
  onConfirm: () => void
  onClose: () => void
}>

/** Asks before what does harm: what happens, and to whom. */
export function Confirm({
  opened,
  title,
  children,
  field,
  disabled = false,
  verb,
  dangerous = true,
  word,
  pending,
  error,
  onConfirm,
  onClose,
}: Props) {
  const { ui, app } = useWords()
  const [typed, setTyped] = useState('')
  return (
    <Modal opened={opened} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': app.close }} centered>
      <p>{children}</p>
      {field}
      {word !== undefined && (
        <TextInput label={ui.confirmWord(word)} value={typed} onChange={(event) => setTyped(event.currentTarget.value)} />
      )}
      {error && <Problem error={error} />}
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onClose}>
          {ui.cancel}
        </Button>
        <Button
          {...(dangerous && { color: 'bad' })}
          loading={pending}
          disabled={disabled || (word !== undefined && typed !== word)}
          onClick={onConfirm}
        >
          {verb}
        </Button>
      </Group>
    </Modal>
  )
}
