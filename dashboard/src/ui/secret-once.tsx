import { Button, Group, Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { useWords } from '../words/words.tsx'
import { Code } from './code.tsx'

type Props = Readonly<{
  secret: string | null
  title: string
  help: string
  done: string
  onDone: () => void
  /** What is to be known of it beside. */
  children?: ReactNode
  /** What else says that it was kept, and goes on. */
  next?: Readonly<{ text: string; pending: boolean; onPress: () => void }>
}>

/** A secret that is in no other answer: it stays until somebody says that it was kept, so neither Escape nor a press beside it closes it. */
export function SecretOnce({ secret, title, help, done, onDone, children, next }: Props) {
  const { app } = useWords()
  return (
    <Modal
      opened={secret !== null}
      onClose={onDone}
      title={title}
      closeOnClickOutside={false}
      closeOnEscape={false}
      closeButtonProps={{ 'aria-label': app.close }}
    >
      <p>{help}</p>
      {secret !== null && <Code text={secret} label={title} />}
      {children}
      <Group justify="flex-end" mt="lg">
        <Button onClick={onDone} {...(next && { variant: 'default' })}>
          {done}
        </Button>
        {next && (
          <Button onClick={next.onPress} loading={next.pending}>
            {next.text}
          </Button>
        )}
      </Group>
    </Modal>
  )
}
