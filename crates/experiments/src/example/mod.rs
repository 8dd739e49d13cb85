//! Query by example on real media: photos in clusters of many kinds, crops of photos, parts of films and
//! sounds, and the best of several copies.

mod better;
mod clusterings;
mod crops;
mod wholes;

use std::collections::BTreeMap;
use std::path::PathBuf;

use decode::Picture;
use media::Look;
use tokio::sync::watch;

use crate::report::Part;
use crate::rerank::corpus;
use crate::{ExperimentError, Order, Report, pictures};

/// Photos of which it is known what they show.
#[derive(Default)]
struct Photos {
    paths: Vec<PathBuf>,
    classes: Vec<usize>,
    looks: Vec<Look>,
    pictures: Vec<Picture>,
}

/// Asks for the media of a folder by others, and by parts and copies of them.
pub(crate) async fn run(order: &Order, progress: &watch::Sender<String>) -> Result<Report, ExperimentError> {
    let folder = order.corpus.as_deref().ok_or(ExperimentError::NoCorpus(
        "a folder of pictures with a labels.tsv (file, number of its class, class) or with a sub-folder for each class, \
         or of films and sounds",
    ))?;
    let mut parts = Vec::new();
    for kind in wholes::KINDS {
        parts.extend(wholes::measured(&pictures::below(folder)?, kind, progress).await?);
    }
    match corpus::labelled(folder) {
        Ok(labelled) => {
            let photos = Photos::of(labelled, progress);
            if !photos.looks.is_empty() {
                parts.push(clusterings::measured(&photos, progress));
                parts.push(crops::measured(&photos.looks, &photos.pictures, progress));
                parts.push(better::measured(&photos, progress).await?);
            }
        }
        Err(error) if parts.is_empty() => return Err(error),
        Err(_) => {}
    }
    if parts.is_empty() {
        let why = "it has neither pictures nor films or sounds that are long enough".to_owned();
        return Err(ExperimentError::Corpus { path: folder.to_owned(), why });
    }
    Ok(Report::of_parts("example", format!("the media of {} asked for by example", folder.display()), parts))
}

impl Photos {
    fn of(labelled: Vec<corpus::Labelled>, progress: &watch::Sender<String>) -> Self {
        let mut photos = Self::default();
        let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
        for one in labelled {
            let picture = pictures::read(&one.path);
            let look = picture.as_ref().and_then(|picture| Look::of(&pictures::pixels(picture)));
            if let (Some(picture), Some(look)) = (picture, look) {
                let next = numbers.len();
                photos.classes.push(*numbers.entry(one.class).or_insert(next));
                photos.paths.push(one.path);
                photos.looks.push(look);
                photos.pictures.push(picture);
            }
            progress.send_replace(format!("{} pictures", photos.looks.len()));
        }
        photos
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::pictures::scene;

    #[tokio::test]
    async fn poor_copies_of_made_pictures_find_the_largest() {
        let folder = tempfile::tempdir().unwrap();
        for class in ["first", "second"] {
            std::fs::create_dir(folder.path().join(class)).unwrap();
        }
        for number in 0..8 {
            let class = if number % 2 == 0 { "first" } else { "second" };
            std::fs::write(folder.path().join(class).join(format!("{number}.jpg")), scene(number)).unwrap();
        }
        let order = Order { corpus: Some(folder.path().to_owned()), ..Order::default() };
        let report = run(&order, &watch::channel(String::new()).0).await.unwrap();
        assert_eq!(report.figures["better"]["first"], json!(8), "{}", report.figures["better"]);
        assert_eq!(report.figures["clusterings"]["pictures"], json!(8));
        assert!(report.figures.get("wholes_of_films").is_none());
    }

    #[tokio::test]
    async fn a_folder_with_nothing_to_ask_by_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("notes.txt"), "nothing").unwrap();
        let order = Order { corpus: Some(folder.path().to_owned()), ..Order::default() };
        let refused = run(&order, &watch::channel(String::new()).0).await.unwrap_err();
        assert!(refused.to_string().contains("labels.tsv"), "{refused}");
    }
}
