/** Which images sandboxes are made of: a list by digest. A name can be given another content; a digest cannot. */
import { AppError, errorCodeOf } from '@sallyport/shared/errors';
import type { EngineClient } from '../engine/engine-client.ts';
import { ImageSchema } from '../engine/engine-types.ts';

export const IMAGE_PATTERN = /^(?:[a-z0-9][a-z0-9._/:-]{0,199}@)?sha256:[0-9a-f]{64}$/;

export interface ImageList {
  /** The engine's id of an image on the list. @throws AppError `forbidden` for any other. */
  idOf(image: string): string;
}

/**
 * Looks every image of the list up.
 * @throws AppError `bad_config` when one is not there, or has places of its own to write to.
 */
export async function readImageList(
  engine: EngineClient,
  images: readonly string[],
): Promise<ImageList> {
  const ids = new Map<string, string>();
  for (const image of images) ids.set(image, await lookUp(engine, image));
  const known = new Set(ids.values());
  return {
    idOf(image) {
      const id = ids.get(image) ?? (known.has(image) ? image : undefined);
      if (id !== undefined) return id;
      throw new AppError(
        'forbidden',
        `Image: ${JSON.stringify(image)} is not one of the images that are offered, each by its digest`,
      );
    },
  };
}

async function lookUp(engine: EngineClient, image: string): Promise<string> {
  try {
    const { json } = await engine.call({ method: 'GET', path: `/images/${image}/json` });
    const { Id, Config } = ImageSchema.parse(json);
    // The engine would make a volume without a bound for each.
    if (Object.keys(Config?.Volumes ?? {}).length > 0) {
      throw new AppError(
        'bad_config',
        `IMAGES: ${image} declares volumes, to which a sandbox could write without a limit; build it without VOLUME`,
      );
    }
    return Id;
  } catch (cause) {
    if (errorCodeOf(cause) !== 'not_found') throw cause;
    throw new AppError(
      'bad_config',
      `IMAGES: the engine has no image ${image}; build or load it, and give its id (docker image inspect --format '{{.Id}}')`,
      { cause },
    );
  }
}
