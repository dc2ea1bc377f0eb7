// rtindex from Rust, through its C interface and without a crate.
//
//   rustc example.rs -L LIBDIR -l rtindex -C link-arg=-Wl,-rpath,LIBDIR && ./example

use std::ffi::{c_void, CStr, CString};
use std::os::raw::c_char;
use std::ptr::null;

// The structs of rtindex/arrow.h and rtindex/rtindex.h that this program uses.

#[repr(C)]
struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *const *const c_void,
    children: *const *mut ArrowArray,
    dictionary: *mut ArrowArray,
    release: Option<extern "C" fn(*mut ArrowArray)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct Column {
    struct_size: usize,
    schema: *const c_void,
    array: *const ArrowArray,
    device_array: *const c_void,
    type_: i32,
    time_unit: i32,
    memory_space: i32,
    offset_bytes: i32,
    count: usize,
    data: *const c_void,
    offsets: *const c_void,
    width: usize,
    validity: *const u8,
    validity_offset: usize,
    parts: *const Column,
    part_count: usize,
    name: *const c_char,
    scale: i32,
    intervals: i32,
    points: i32,
}

#[repr(C)]
struct Query {
    struct_size: usize,
    kind: i32,
    ends: i32,
    direction: i32,
    exact: i32,
    lower: *const Column,
    upper: *const Column,
    tolerance_type: i32,
    tolerance_i64: i64,
    tolerance_u64: u64,
    tolerance_f64: f64,
    filter: *const c_void,
    conditions: *const c_void,
    condition_count: usize,
}

#[repr(C)]
struct AnswerOptions {
    struct_size: usize,
    answers: u32,
    order: i32,
    limit: *const u32,
    matched: i32,
    values: *const Column,
    miss: *const c_void,
    stream: *mut c_void,
    included: *const c_char,
}

const TYPE_INT64: i32 = 8;
const TYPE_FLOAT64: i32 = 13;
const ANSWER_COUNT: u32 = 4;
const ANSWER_SUM: u32 = 8;
const QUERY_RANGE: i32 = 1;
const ENDS_RIGHT_OPEN: i32 = 1;

enum Handle {}

extern "C" {
    fn rtindex_build(column: *const Column, spec: *const c_char, options: *const c_void, index: *mut *mut Handle) -> i32;
    fn rtindex_answer(
        index: *const Handle, query: *const Query, options: *const AnswerOptions, diagnostics: *const c_void,
        schema: *mut c_void, array: *mut ArrowArray,
    ) -> i32;
    fn rtindex_free(index: *mut Handle) -> i32;
    fn rtindex_last_error() -> *const c_char;
}

fn check(status: i32) -> Result<(), String> {
    if status == 0 {
        return Ok(());
    }
    Err(unsafe { CStr::from_ptr(rtindex_last_error()) }.to_string_lossy().into_owned())
}

// A column that borrows a slice.
fn column<T>(type_: i32, elements: &[T]) -> Column {
    let mut column: Column = unsafe { std::mem::zeroed() };
    column.struct_size = std::mem::size_of::<Column>();
    column.type_ = type_;
    column.count = elements.len();
    column.data = elements.as_ptr() as *const c_void;
    column
}

struct Index(*mut Handle);

impl Index {
    fn build(keys: &[i64], spec: &str) -> Result<Index, String> {
        let spec = CString::new(spec).map_err(|error| error.to_string())?;
        let mut handle: *mut Handle = std::ptr::null_mut();
        check(unsafe { rtindex_build(&column(TYPE_INT64, keys), spec.as_ptr(), null(), &mut handle) })?;
        Ok(Index(handle))
    }

    // How many keys lie in [lower, upper), and the sum of their values.
    fn totals(&self, lower: &[i64], upper: &[i64], values: &[f64]) -> Result<Vec<(u32, f64)>, String> {
        let lower = column(TYPE_INT64, lower);
        let upper = column(TYPE_INT64, upper);
        let mut query: Query = unsafe { std::mem::zeroed() };
        query.struct_size = std::mem::size_of::<Query>();
        query.kind = QUERY_RANGE;
        query.ends = ENDS_RIGHT_OPEN;
        query.lower = &lower;
        query.upper = &upper;
        let values = column(TYPE_FLOAT64, values);
        let mut options: AnswerOptions = unsafe { std::mem::zeroed() };
        options.struct_size = std::mem::size_of::<AnswerOptions>();
        options.answers = ANSWER_COUNT | ANSWER_SUM;
        options.values = &values;
        unsafe {
            let mut answers: ArrowArray = std::mem::zeroed();
            check(rtindex_answer(self.0, &query, &options, null(), std::ptr::null_mut(), &mut answers))?;
            let elements = |child: usize| *(**answers.children.add(child)).buffers.add(1);
            let counts = std::slice::from_raw_parts(elements(0) as *const u32, answers.length as usize);
            let sums = std::slice::from_raw_parts(elements(1) as *const f64, answers.length as usize);
            let totals = counts.iter().copied().zip(sums.iter().copied()).collect();
            if let Some(release) = answers.release {
                release(&mut answers);
            }
            Ok(totals)
        }
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        unsafe { rtindex_free(self.0) };
    }
}

fn main() -> Result<(), String> {
    let days = [3, 1, 4, 1, 5, 9, 2, 6];
    let prices = [1.5, 2.5, 1.0, 4.0, 3.0, 2.0, 0.5, 1.0];
    let index = Index::build(&days, "rx")?;
    for (count, sum) in index.totals(&[1, 5], &[4, 10], &prices)? {
        println!("{} rows, {}", count, sum);
    }
    match Index::build(&days, "bplustree") {
        Ok(_) => println!("an unknown index was built"),
        Err(message) => println!("{}", message),
    }
    Ok(())
}
