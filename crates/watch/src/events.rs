//! What the kernel tells of folders: inotify. Where it does not tell, looking again finds it.

use std::collections::HashMap;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

use crate::names::{Id, Names, ROOT};

/// Happenings kept until they are looked at; with more, everything is looked at.
const MOST: usize = 500_000;

/// Something happened to a name in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Happening {
    pub(crate) folder: Id,
    pub(crate) name: Box<[u8]>,
    /// A file that was made and is perhaps still being written.
    pub(crate) unfinished: bool,
}

/// Folders under watch.
pub(crate) struct Events {
    inotify: OwnedFd,
    folders: HashMap<i32, Id>,
    happenings: Vec<Happening>,
    /// Something was lost: everything is to be looked at.
    pub(crate) lost: bool,
    /// The system does not let us watch more folders.
    pub(crate) exhausted: bool,
}

impl Events {
    pub(crate) fn new() -> std::io::Result<Self> {
        let inotify = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        Ok(Self { inotify, folders: HashMap::new(), happenings: Vec::new(), lost: false, exhausted: false })
    }

    /// Begins to watch a folder.
    pub(crate) fn watch(&mut self, folder: Id, path: &Path) {
        let flags = WatchFlags::CREATE
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::DELETE
            | WatchFlags::ONLYDIR
            | WatchFlags::DONT_FOLLOW
            | WatchFlags::EXCL_UNLINK;
        match inotify::add_watch(&self.inotify, path, flags) {
            // A folder that was moved keeps its number and has another name now.
            Ok(watch) => drop(self.folders.insert(watch, folder)),
            Err(Errno::NOSPC | Errno::NOMEM) => {
                if !std::mem::replace(&mut self.exhausted, true) {
                    tracing::warn!(
                        "the system lets us watch {} folders: raise fs.inotify.max_user_watches; the others are looked \
                         at every few minutes",
                        self.folders.len()
                    );
                }
            }
            // Gone already, or not for us: the look that follows says so.
            Err(error) => tracing::debug!("{} is not watched: {error}", path.display()),
        }
    }

    /// Ends watching folders that are in one of these and not at their place any more.
    pub(crate) fn leave(&mut self, names: &Names, vanished: impl Fn(Id) -> bool) {
        let inotify = &self.inotify;
        self.folders.retain(|watch, folder| {
            let left = names.upwards(*folder).any(&vanished);
            if left {
                // It may be gone with its folder.
                let _ = inotify::remove_watch(inotify, *watch);
            }
            !left
        });
    }

    /// Waits until something happens, for so long at most.
    pub(crate) fn wait(&self, patience: Duration) {
        let patience = Timespec { tv_sec: patience.as_secs() as _, tv_nsec: patience.subsec_nanos().into() };
        let mut polled = [PollFd::new(&self.inotify, PollFlags::IN)];
        if let Err(error) = poll(&mut polled, Some(&patience))
            && error != Errno::INTR
        {
            tracing::warn!("waiting for changes: {error}");
            std::thread::sleep(Duration::from_secs(1));
        }
    }

    /// Takes over what the kernel has to tell. To be called often: its memory is small.
    pub(crate) fn drain(&mut self) {
        let mut buffer = [MaybeUninit::<u8>::uninit(); 16 << 10];
        let mut reader = Reader::new(&self.inotify, &mut buffer);
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => return,
                Err(error) => {
                    tracing::warn!("changes cannot be read: {error}");
                    self.lost = true;
                    return;
                }
            };
            let what = event.events();
            if what.contains(ReadFlags::QUEUE_OVERFLOW) {
                self.lost = true;
                continue;
            }
            if what.contains(ReadFlags::IGNORED) {
                // Nobody tells of the folder of the site but itself: another may be in its place.
                self.lost |= self.folders.remove(&event.wd()) == Some(ROOT);
                continue;
            }
            let (Some(&folder), Some(name)) = (self.folders.get(&event.wd()), event.file_name()) else { continue };
            if self.happenings.len() >= MOST {
                self.lost = true;
                continue;
            }
            let unfinished = what.contains(ReadFlags::CREATE) && !what.contains(ReadFlags::ISDIR);
            self.happenings.push(Happening { folder, name: name.to_bytes().into(), unfinished });
        }
    }

    /// What happened since it was asked last.
    pub(crate) fn take(&mut self) -> Vec<Happening> {
        std::mem::take(&mut self.happenings)
    }
}
