import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { say } from '../../../parts/dialogs/toasts.js';
import { formatSummary, NOTHING, run, type Done, type Ended, type Work } from './run.js';

/** The stage of work on many objects. */
type Stage =
  | { readonly is: 'asking'; readonly error: unknown; readonly trial?: Ended }
  | { readonly is: 'running'; readonly done: Done; readonly isStopping: boolean }
  | { readonly is: 'ended'; readonly ended: Ended };

/** Prepares work; undefined when there is none. @param stop is aborted when the user stops it */
type Begin = (stop: AbortSignal) => Work | Promise<Work | undefined>;

export interface UsedRun {
  readonly stage: Stage;
  readonly start: (begin: Begin) => void;
  readonly stop: () => void;
}

/**
 * @param verb the name of the work in the final message
 * @param onDone called when all of it was done
 */
export function useRun(verb: (count: number) => string, onDone: () => void): UsedRun {
  const client = useQueryClient();
  const [stage, setStage] = useState<Stage>({ is: 'asking', error: null });
  const stopper = useRef<AbortController>(undefined);
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
      stopper.current?.abort();
    };
  }, []);
  const start = async (begin: Begin): Promise<void> => {
    const { signal } = (stopper.current = new AbortController());
    const onProgress = (done: Done): void =>
      setStage((now) => ({ is: 'running', done, isStopping: now.is === 'running' && now.isStopping }));
    onProgress(NOTHING);
    try {
      const work = await begin(signal);
      const ended = work && (await run(work, signal, onProgress));
      if (ended === undefined || work?.isTrial === true) {
        setStage({ is: 'asking', error: null, ...(ended && { trial: ended }) });
        return;
      }
      const isWhole = ended.cut === undefined && ended.refused === 0;
      // Also reports the result when another page was opened meanwhile.
      if (isWhole || !isShown.current) say(formatSummary(ended, verb));
      setStage({ is: 'ended', ended });
      if (isWhole) onDone();
    } catch (error) {
      // A user who stopped it needs no error.
      setStage({ is: 'asking', error: signal.aborted ? null : error });
    }
    void client.invalidateQueries();
  };
  return {
    stage,
    start: (begin) => void start(begin),
    stop: () => {
      stopper.current?.abort();
      setStage((now) => (now.is === 'running' ? { ...now, isStopping: true } : now));
    },
  };
}
